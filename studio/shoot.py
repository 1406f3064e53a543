"""Run by Blender: photograph one shot. Its description (JSON) comes after `--`."""

import importlib
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import bpy
from kit import log
from kit.light import render

job = json.loads(sys.argv[sys.argv.index('--') + 1])
bpy.ops.wm.read_factory_settings(use_empty=True)
kind = importlib.import_module('kinds.' + job['kind'])
log('building', job['name'])
how = kind.scene(**job.get('with', {}))
how.update(job.get('how', {}))
os.makedirs(job['folder'], exist_ok=True)
render(
    job['out'], job['width'], job['height'], job['samples'], folder=job['folder'], threads=job.get('threads', 1), **how
)
log('finished', job['name'])
