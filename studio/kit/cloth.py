"""Cloth: the simulation that settles a sewn pattern on the table, and a map from the flat pattern to the settled surface."""

import bpy
import numpy as np
from mathutils.bvhtree import BVHTree
from .log import log


def simulate(
    o,
    frames=45,
    rest=None,
    quality=6,
    mass=0.15,
    tension=15,
    bend=0.4,
    selfd=0.012,
    colld=0.012,
    turb=6,
    seed=1,
    gravity=1,
    fric=15,
    damp=8,
    shrink=0,
    turb_until=14,
    pinvg=None,
    pstiff=1,
    rimvg=None,
):
    sc = bpy.context.scene
    if rest is not None:
        o.shape_key_add(name='Basis')
        k = o.shape_key_add(name='rest')
        k.data.foreach_set('co', np.asarray(rest, np.float32).ravel())
    m = o.modifiers.new('cloth', 'CLOTH')
    s = m.settings
    s.quality = quality
    s.mass = mass
    s.tension_stiffness = tension
    s.compression_stiffness = tension
    s.shear_stiffness = tension * 0.5
    s.bending_stiffness = bend
    s.tension_damping = damp
    s.compression_damping = damp
    s.shear_damping = damp
    s.bending_damping = 0.5
    s.air_damping = 2.0
    if rest is not None:
        s.rest_shape_key = o.data.shape_keys.key_blocks['rest']
    s.shrink_min = shrink
    if pinvg:
        s.vertex_group_mass = pinvg
        s.pin_stiffness = pstiff
    c = m.collision_settings
    c.use_self_collision = True
    c.self_distance_min = selfd
    c.distance_min = colld
    c.self_friction = 5
    if rimvg:
        c.vertex_group_self_collisions = rimvg
    c.collision_quality = 3
    s.effector_weights.gravity = gravity
    m.point_cache.frame_start = 1
    m.point_cache.frame_end = frames + 1
    # floor
    bpy.ops.mesh.primitive_plane_add(size=20)
    fl = bpy.context.object
    fl.modifiers.new('c', 'COLLISION')
    fl.collision.thickness_outer = 0.01
    fl.collision.cloth_friction = fric
    fl.collision.damping = 0.5
    if turb:
        bpy.ops.object.effector_add(type='TURBULENCE')
        t = bpy.context.object
        t.field.strength = turb
        t.field.size = 0.45
        t.field.seed = seed
        t.field.noise = 0.5
        t.field.keyframe_insert('strength', frame=1)
        t.field.keyframe_insert('strength', frame=turb_until)
        t.field.strength = 0
        t.field.keyframe_insert('strength', frame=turb_until + 4)
    sc.frame_start = 1
    sc.frame_end = frames
    for f in range(1, frames + 1):
        sc.frame_set(f)
    dg = bpy.context.evaluated_depsgraph_get()
    e = o.evaluated_get(dg)
    me = e.data
    co = np.empty(len(me.vertices) * 3, np.float32)
    me.vertices.foreach_get('co', co)
    for x in list(bpy.data.objects):
        if x is not o and x in (fl,) or x.type == 'EMPTY':
            bpy.data.objects.remove(x, do_unlink=True)
    log('sim done', len(o.data.vertices), 'verts', frames, 'frames')
    return co.reshape(-1, 3)


class Surf:
    """maps pattern-plane points onto the deformed surface"""

    def __init__(s, flat2, tris, deformed):
        s.tris = tris
        s.d = deformed
        s.f = flat2
        s.bvh = BVHTree.FromPolygons([(v[0], v[1], 0) for v in flat2], tris)
        N = np.zeros_like(deformed)
        for t in tris:
            a, b, c = deformed[list(t)]
            n = np.cross(b - a, c - a)
            for i in t:
                N[i] += n
        s.N = N / np.maximum(np.linalg.norm(N, axis=1, keepdims=True), 1e-9)

    def at(s, x, y, h=0):
        loc, n, i, d = s.bvh.find_nearest((x, y, 0))
        t = s.tris[i]
        A = np.array([s.f[j][:2] for j in t])
        p = np.array(loc[:2])
        M = np.c_[A[1] - A[0], A[2] - A[0]]
        w = np.linalg.lstsq(M, p - A[0], rcond=None)[0]
        w = np.array([1 - w.sum(), *w])
        # extrapolate for points off pattern
        pos = sum(w[k] * s.d[t[k]] for k in range(3))
        nn = sum(w[k] * s.N[t[k]] for k in range(3))
        nn /= np.linalg.norm(nn) + 1e-9
        pos = pos + np.array([x - loc[0], y - loc[1], 0])  # off the pattern: carry on outwards
        return pos + nn * h, nn
