"""Light, camera and the photograph."""

import math
import os
import time
import bpy
import numpy as np
from mathutils import Vector
from . import denoise
from .fabrics import mat, nt, tex, bump, ramp
from .log import log
from .shapes import grid, newobj

# one paper for the whole series; the flat-lay light is warmer and lower, so its paper is a shade lighter
PAPER = '#d9cdbb'
PAPER_FLAT = '#e8d9c2'


def area(loc, target, size, energy, color=(1, 1, 1), sy=None):
    l = bpy.data.lights.new('a', 'AREA')
    l.energy = energy
    l.size = size
    l.color = color
    if sy:
        l.shape = 'RECTANGLE'
        l.size_y = sy
    o = bpy.data.objects.new('a', l)
    bpy.context.scene.collection.objects.link(o)
    o.location = loc
    o.rotation_euler = (Vector(target) - Vector(loc)).to_track_quat('-Z', 'Y').to_euler()
    return o


def studio_flat(center=(0, 1.4), ground=PAPER_FLAT, height=3.9, key=330, fill=0.28, kz=2.7):
    sc = bpy.context.scene
    w = bpy.data.worlds.new('w')
    sc.world = w
    w.use_nodes = True
    w.node_tree.nodes['Background'].inputs[0].default_value = (1, 0.985, 0.96, 1)
    w.node_tree.nodes['Background'].inputs[1].default_value = fill
    g = mat('ground', ground, 0.9, spec=0.1)
    N, L = nt(g)
    b = N['Principled BSDF']
    nz = N.new('ShaderNodeTexNoise')
    nz.inputs['Scale'].default_value = 90
    nz.inputs['Detail'].default_value = 6
    bp = N.new('ShaderNodeBump')
    bp.inputs['Strength'].default_value = 0.08
    bp.inputs['Distance'].default_value = 0.01
    tc = N.new('ShaderNodeTexCoord')
    L.new(tc.outputs['Object'], nz.inputs['Vector'])
    L.new(nz.outputs['Fac'], bp.inputs['Height'])
    L.new(bp.outputs[0], b.inputs['Normal'])
    bpy.ops.mesh.primitive_plane_add(size=40)
    p = bpy.context.object
    p.data.materials.append(g)
    p.location.z = 0.0
    cx, cy = center
    area((cx - 4.2, cy + 3.6, kz), (cx, cy, 0), 2.2, key, (1, 0.965, 0.92))
    area((cx + 4.5, cy - 1.0, 4.5), (cx, cy, 0), 4, key * 0.16, (0.93, 0.96, 1))
    cam = bpy.data.cameras.new('c')
    cam.lens = 85
    cam.sensor_fit = 'VERTICAL'
    cam.sensor_height = 36
    co = bpy.data.objects.new('c', cam)
    sc.collection.objects.link(co)
    d = height / (36 / 85)
    co.location = (cx, cy - 0.0, d)
    co.rotation_euler = (0, 0, 0)
    sc.camera = co
    return co


def world(fill, color=(1, 0.985, 0.96, 1)):
    sc = bpy.context.scene
    w = bpy.data.worlds.new('w')
    sc.world = w
    w.use_nodes = True
    w.node_tree.nodes['Background'].inputs[0].default_value = color
    w.node_tree.nodes['Background'].inputs[1].default_value = fill


def camera(cam, tgt, lens=85, fstop=0, focus=None):
    c = bpy.data.cameras.new('c')
    c.lens = lens
    c.sensor_fit = 'VERTICAL'
    c.sensor_height = 36
    o = bpy.data.objects.new('c', c)
    sc = bpy.context.scene
    sc.collection.objects.link(o)
    o.location = cam
    o.rotation_euler = (Vector(tgt) - Vector(cam)).to_track_quat('-Z', 'Y').to_euler()
    sc.camera = o
    if fstop:
        c.dof.use_dof = True
        c.dof.aperture_fstop = fstop
        c.dof.focus_distance = (Vector(focus or tgt) - Vector(cam)).length
    return o


def stage(
    size=1,
    color=PAPER,
    cam=(0, -8.5, 3.4),
    tgt=(0, 0, 0.6),
    lens=85,
    key=400,
    side=0.28,
    back=170,
    fill=0.28,
    fstop=0,
    z=0,
    curve=1.6,
):
    """sweep and three lights for a subject about 2*size across"""
    k = size
    world(fill)
    m = mat('bg', color, 0.9, spec=0.08)
    y0 = curve * k
    prof = (
        [(y, 0) for y in np.linspace(-14 * k, y0, 70)]
        + [(y0 + 7 * k * math.sin(a), 7 * k - 7 * k * math.cos(a)) for a in np.linspace(0.02, math.pi / 2, 80)]
        + [(y0 + 7 * k, 16 * k)]
    )
    o = grid([[(x, y, h + z) for y, h in prof] for x in np.linspace(-14 * k, 14 * k, 8)], m)
    e = k * k
    area((-4.5 * k, -2.2 * k, 5 * k + z), (0, 0, 0.6 * k + z), 3 * k, key * e, (1, 0.97, 0.93))
    area((4.6 * k, -1.2 * k, 2.6 * k + z), (0, 0, 0.6 * k + z), 2.2 * k, key * side * e, (0.95, 0.97, 1), sy=4 * k)
    if back:
        area((1.5 * k, 4 * k, 4.6 * k + z), (0, 0, 0.5 * k + z), 2.5 * k, back * e, (1, 0.98, 0.95))
    return camera(tuple(k * np.array(cam)), tuple(k * np.array(tgt)), lens, fstop)


def render(
    path, width, height, samples, exposure=0.2, look='High Contrast', bounces=6, cloth=False, folder='.', threads=1
):
    """photograph the scene, denoise, save as PNG"""
    sc = bpy.context.scene
    r = sc.render
    r.engine = 'CYCLES'
    c = sc.cycles
    c.device = 'CPU'
    c.samples = samples
    c.use_adaptive_sampling = True
    c.adaptive_threshold = 0.02
    c.use_denoising = False
    c.max_bounces = bounces
    c.diffuse_bounces = 2 if cloth else 3
    c.glossy_bounces = 4
    c.transmission_bounces = bounces
    c.transparent_max_bounces = 16
    c.sample_clamp_indirect = 4
    c.caustics_reflective = c.caustics_refractive = False
    c.blur_glossy = 0.5
    r.resolution_x, r.resolution_y, r.resolution_percentage = width, height, 100
    r.threads_mode = 'FIXED'
    r.threads = threads
    sc.view_settings.view_transform = 'Filmic'
    sc.view_settings.look = look
    sc.view_settings.exposure = exposure
    sc.view_layers[0].cycles.denoising_store_passes = True
    sc.use_nodes = True
    n = sc.node_tree.nodes
    n.clear()
    l = sc.node_tree.links
    layers = n.new('CompositorNodeRLayers')
    out = n.new('CompositorNodeComposite')
    l.new(layers.outputs['Image'], out.inputs['Image'])
    files = n.new('CompositorNodeOutputFile')
    files.base_path = folder
    files.format.file_format = 'OPEN_EXR'
    files.format.color_depth = '32'
    files.file_slots.clear()
    for name in ('Albedo', 'Normal'):
        files.file_slots.new(name + '_')
        l.new(layers.outputs['Denoising ' + name], files.inputs[name + '_'])
    sc.frame_set(1)
    i = r.image_settings
    i.file_format = 'PNG'
    i.color_depth = '16'
    i.color_mode = 'RGB'
    r.filepath = os.path.join(folder, 'raw.png')
    t = time.time()
    bpy.ops.render.render(write_still=True)
    log('rendered in %.0f s' % (time.time() - t))

    def pixels(name):
        im = bpy.data.images.load(os.path.join(folder, name))
        im.colorspace_settings.name = 'Non-Color'
        a = np.empty(width * height * 4, np.float32)
        im.pixels.foreach_get(a)
        return a.reshape(height, width, 4)[::-1, :, :3].copy()

    colour = pixels('raw.png')
    if denoise.WEIGHTS:
        t = time.time()
        colour = denoise.denoise(
            colour,
            pixels('Albedo_0001.exr'),
            pixels('Normal_0001.exr'),
            'rt_ldr_calb_cnrm' if cloth else 'rt_ldr_alb_nrm',
        )
        log('denoised in %.0f s' % (time.time() - t))
    im = bpy.data.images.new('out', width, height)
    im.colorspace_settings.name = 'sRGB'
    a = np.ones((height, width, 4), np.float32)
    a[:, :, :3] = colour[::-1]
    im.pixels.foreach_set(a.ravel())
    im.filepath_raw = os.path.abspath(path)
    im.file_format = 'PNG'
    im.save()
