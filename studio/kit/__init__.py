"""The studio's kit. `from kit import *` gives a kind of thing everything it needs.

Short names that return everywhere: S units per centimetre (garments); N, L a material's nodes and links; T the map canvas, X, Y
its coordinates in cm, D, A distance from and length along a curve; H height, C colour; fn, bn front and back neckline.
"""

import math
import random

import bpy
import bmesh
import numpy as np
from mathutils import Vector, noise

from .log import log
from .shapes import *
from .cloth import *
from .pattern import *
from .draw import *
from .fabrics import *
from .light import *
