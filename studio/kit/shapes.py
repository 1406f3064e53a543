"""Shapes: everything that is modelled rather than sewn."""

import math
import subprocess
import bpy
import bmesh
import numpy as np
from mathutils import Vector


def newobj(name, V, F, uv=None, mat=None, smooth=True):
    me = bpy.data.meshes.new(name)
    me.from_pydata([tuple(v) for v in V], [], [tuple(f) for f in F])
    me.update()
    if uv is not None:
        l = me.uv_layers.new(name='UVMap')
        idx = np.empty(len(me.loops), np.int32)
        me.loops.foreach_get('vertex_index', idx)
        l.data.foreach_set('uv', np.asarray(uv, np.float32)[idx].ravel())
    o = bpy.data.objects.new(name, me)
    bpy.context.scene.collection.objects.link(o)
    if smooth:
        me.polygons.foreach_set('use_smooth', [True] * len(me.polygons))
    if mat:
        for m in (mat if isinstance(mat, list) else [mat]):
            me.materials.append(m)
    return o


def finish(o, sub=2, thick=0.01):
    if sub:
        m = o.modifiers.new('s', 'SUBSURF')
        m.levels = 0  # nobody looks at it before it is photographed
        m.render_levels = sub
    if thick:
        m = o.modifiers.new('t', 'SOLIDIFY')
        m.thickness = thick
        m.offset = 0
        m.use_rim = True


def loft(curves, n=60, m=6, mat=None, thick=0.012, sub=1, uvs=None):
    """curves: list of 3D polylines (same param); smooth between via catmull; returns obj with UV (t, v)"""
    C = []
    for c in curves:
        c = np.array(c, float)
        d = np.linspace(0, 1, len(c))
        # smooth through points
        t = np.linspace(0, 1, n)
        P = np.zeros((n, c.shape[1]))
        from_ = np.clip((t * (len(c) - 1)).astype(int), 0, len(c) - 2)
        u = t * (len(c) - 1) - from_
        p1 = c[from_]
        p2 = c[from_ + 1]
        p0 = np.where((from_ > 0)[:, None], c[np.maximum(from_ - 1, 0)], 2 * p1 - p2)
        p3 = np.where((from_ + 2 < len(c))[:, None], c[np.minimum(from_ + 2, len(c) - 1)], 2 * p2 - p1)
        u = u[:, None]
        C.append(
            0.5
            * ((2 * p1) + (p2 - p0) * u + (2 * p0 - 5 * p1 + 4 * p2 - p3) * u**2 + (3 * p1 - p0 - 3 * p2 + p3) * u**3)
        )
    rows = []
    K = len(C)
    for k in range(K - 1):
        p1, p2 = C[k], C[k + 1]
        p0 = C[k - 1] if k > 0 else 2 * p1 - p2
        p3 = C[k + 2] if k + 2 < K else 2 * p2 - p1
        for j in range(m):
            u = j / m
            rows.append(
                0.5
                * (
                    (2 * p1)
                    + (p2 - p0) * u
                    + (2 * p0 - 5 * p1 + 4 * p2 - p3) * u**2
                    + (3 * p1 - p0 - 3 * p2 + p3) * u**3
                )
            )
    rows.append(C[-1])
    M = len(rows)
    V = np.concatenate(rows)
    F = [(r * n + i, r * n + i + 1, (r + 1) * n + i + 1, (r + 1) * n + i) for r in range(M - 1) for i in range(n - 1)]
    uv = np.array([(i / (n - 1), r / (M - 1)) for r in range(M) for i in range(n)])
    o = newobj('loft', V, F, uv if uvs is None else uvs(V, uv), mat)
    finish(o, sub, thick)
    return o


def lathe(profile, n=96, mat=None, loc=(0, 0, 0)):
    P = np.array(profile)
    V = []
    F = []
    for r, z in P:
        for i in range(n):
            a = 2 * np.pi * i / n
            V.append((r * np.cos(a) + loc[0], r * np.sin(a) + loc[1], z + loc[2]))
    for k in range(len(P) - 1):
        for i in range(n):
            F.append((k * n + i, k * n + (i + 1) % n, (k + 1) * n + (i + 1) % n, (k + 1) * n + i))
    uv = [(i / n, k / (len(P) - 1)) for k in range(len(P)) for i in range(n)]
    return newobj('lathe', V, F, uv, mat)


def button(pos, nrm, r, m, mh, rot=0):
    prof = [
        (0, 0.30),
        (0.55, 0.30),
        (0.62, 0.33),
        (0.72, 0.42),
        (0.85, 0.45),
        (0.95, 0.40),
        (1, 0.28),
        (1, 0.1),
        (0.9, 0),
        (0, 0),
    ]
    o = lathe([(a * r, b * r * 0.9) for a, b in prof], 40, m)
    q = Vector(nrm).to_track_quat('Z', 'Y')
    o.rotation_mode = 'QUATERNION'
    o.rotation_quaternion = q
    o.location = pos
    for i in range(4):
        a = np.pi / 4 + i * np.pi / 2 + rot
        h = lathe([(0, 0.02 * r), (0.11 * r, 0.02 * r), (0.11 * r, 0)], 14, mh)
        h.rotation_mode = 'QUATERNION'
        h.rotation_quaternion = q
        h.location = Vector(pos) + q @ Vector((0.24 * r * np.cos(a), 0.24 * r * np.sin(a), 0.272 * r))
    return o


K = [1.0]  # bump distances follow the scale an object is placed at


def group(fn, loc=(0, 0, 0), rot=(0, 0, 0), s=1, **kw):
    """run fn, put all it made under one empty, place that"""
    had = set(bpy.data.objects)
    k = K[0]
    K[0] = k * s
    fn(**kw)
    K[0] = k
    e = bpy.data.objects.new('grp', None)
    bpy.context.scene.collection.objects.link(e)
    for o in bpy.data.objects:
        if o not in had and o is not e and o.parent is None:
            o.parent = e
    e.location = loc
    e.rotation_euler = [math.radians(a) for a in rot]
    e.scale = (s, s, s)
    return e


def rbox(sx, sy, sz, r, m, loc=(0, 0, 0), seg=4, rot=(0, 0, 0)):
    bm = bmesh.new()
    bmesh.ops.create_cube(bm, size=1)
    bmesh.ops.scale(bm, vec=(sx, sy, sz), verts=bm.verts)
    bmesh.ops.bevel(bm, geom=list(bm.edges), offset=r, segments=seg, profile=0.5, affect='EDGES')
    me = bpy.data.meshes.new('b')
    bm.to_mesh(me)
    bm.free()
    o = bpy.data.objects.new('b', me)
    bpy.context.scene.collection.objects.link(o)
    o.location = loc
    o.rotation_euler = rot
    me.materials.append(m)
    me.polygons.foreach_set('use_smooth', [True] * len(me.polygons))
    me.use_auto_smooth = True
    me.auto_smooth_angle = 0.6
    return o


def tube(pts, r, m, cyclic=False, smooth=True, res=4):
    c = bpy.data.curves.new('t', 'CURVE')
    c.dimensions = '3D'
    c.bevel_depth = r
    c.bevel_resolution = res
    c.use_fill_caps = True
    if smooth:
        s = c.splines.new('BEZIER')
        s.bezier_points.add(len(pts) - 1)
        for p, q in zip(s.bezier_points, pts):
            p.co = q
            p.handle_left_type = p.handle_right_type = 'AUTO'
    else:
        s = c.splines.new('POLY')
        s.points.add(len(pts) - 1)
        for p, q in zip(s.points, pts):
            p.co = (*q, 1)
    s.use_cyclic_u = cyclic
    s.use_smooth = True
    c.materials.append(m)
    o = bpy.data.objects.new('t', c)
    bpy.context.scene.collection.objects.link(o)
    return o


def rrect(w, h, r, n=8):
    return [
        (sx * (w / 2 - r) + r * math.cos(math.radians(a)), sy * (h / 2 - r) + r * math.sin(math.radians(a)))
        for sx, sy, a0 in ((1, 1, 0), (-1, 1, 90), (-1, -1, 180), (1, -1, 270))
        for a in np.linspace(a0, a0 + 90, n)
    ]


def grid(rows, m=None, closed=False, cap=False, uv=None, sub=0):
    """rows of 3D points -> quads; closed: each row is a ring; cap: close first and last row"""
    R = np.array(rows, float)
    k, n = R.shape[:2]
    V = R.reshape(-1, 3)
    J = n if closed else n - 1
    F = [
        (r * n + i, r * n + (i + 1) % n, (r + 1) * n + (i + 1) % n, (r + 1) * n + i)
        for r in range(k - 1)
        for i in range(J)
    ]
    if cap:
        F += [tuple(range(n))[::-1], tuple((k - 1) * n + i for i in range(n))]
    U = (
        np.array(uv).reshape(-1, 2)
        if uv is not None
        else [(r / (k - 1), i / max(1, n - 1)) for r in range(k) for i in range(n)]
    )
    o = newobj('grid', V, F, U, m)
    finish(o, sub, 0)
    return o


class Path:
    """plane curve with arc length, tangent and outward (right-hand) normal"""

    def __init__(p, pts):
        p.P = np.array(pts, float)
        p.d = np.r_[0, np.cumsum(np.linalg.norm(np.diff(p.P, axis=0), axis=1))]
        T = np.gradient(p.P, axis=0)
        p.T = T / np.linalg.norm(T, axis=1)[:, None]
        p.L = p.d[-1]

    def at(p, s):
        f = lambda a: np.array([np.interp(s, p.d, a[:, 0]), np.interp(s, p.d, a[:, 1])])
        t = f(p.T)
        t /= np.linalg.norm(t) + 1e-9
        return f(p.P), t, np.array([t[1], -t[0]])


def strip(path, half, thick, m, put, n=400, dome=0.25, s0=0, s1=None, off=0, uvk=1, mid=lambda s: 0, edge=0.5):
    """a strap: rounded cross-section (half(s) wide each way, thick) carried along path; put(a,b,w) maps plane+width to 3D. UV=(s,w) in units"""
    S_ = np.linspace(s0, path.L if s1 is None else s1, n)
    rows = []
    uv = []
    A = np.r_[np.linspace(-1, 1, 15), np.linspace(1, -1, 15)]
    side = np.r_[np.ones(15), -np.ones(15)]
    for s in S_:
        p, t, nn = path.at(s)
        h = half(s)
        r = []
        u = []
        for a, sd in zip(A, side):
            e = min(1, (1 - abs(a)) * h / (thick * edge) + 1e-3) if h > 0 else 0
            o = (
                off
                + sd * thick / 2 * (math.sqrt(max(0, 1 - (1 - e) ** 2)))
                + (dome * thick * (1 - a * a) if sd > 0 else 0)
            )
            q = p + nn * o
            r.append(put(q[0], q[1], mid(s) + a * h))
            u.append((s * uvk, (mid(s) + a * h) * uvk))
        rows.append(r)
        uv.append(u)
    return grid(rows, m, True, True, uv)


def font(style='Serif:bold'):
    try:
        return bpy.data.fonts.load(
            subprocess.run(['fc-match', '-f', '%{file}', style], capture_output=True, text=True).stdout,
            check_existing=True,
        )
    except Exception:
        return None


def text(body, size, m, loc=(0, 0, 0), rot=(0, 0, 0), ext=0.002, bev=0, style='Serif:bold', space=1.0, align='CENTER'):
    c = bpy.data.curves.new('t', 'FONT')
    c.body = body
    c.size = size
    c.align_x = align
    c.align_y = 'CENTER'
    c.extrude = ext
    c.bevel_depth = bev
    c.bevel_resolution = 2
    c.space_character = space
    f = font(style)
    if f:
        c.font = f
    o = bpy.data.objects.new('t', c)
    bpy.context.scene.collection.objects.link(o)
    o.location = loc
    o.rotation_euler = rot
    c.materials.append(m)
    return o


def wrap(body, size, r, z, m, ext=0.003, style='Sans:bold', space=1.1, turn=0, up=False):
    """letters bent round a cylinder of radius r, facing -y; up: reading upwards"""
    tx = text(body, size, m, ext=ext, style=style, space=space)
    bpy.context.view_layer.update()
    me = bpy.data.meshes.new_from_object(tx.evaluated_get(bpy.context.evaluated_depsgraph_get()))
    bpy.data.objects.remove(tx)
    bm = bmesh.new()
    bm.from_mesh(me)
    bmesh.ops.triangulate(bm, faces=bm.faces)
    bmesh.ops.subdivide_edges(bm, edges=[e for e in bm.edges if e.calc_length() > 0.06], cuts=2)
    bm.to_mesh(me)
    bm.free()
    for v in me.vertices:
        x, y = (v.co.x, v.co.y) if not up else (-v.co.y, v.co.x)
        a = x / r + turn
        R = r + 0.0005 + max(0, v.co.z)
        v.co = (R * math.sin(a), -R * math.cos(a), z + y)
    o = bpy.data.objects.new('t', me)
    bpy.context.scene.collection.objects.link(o)
    if not me.materials:
        me.materials.append(m)
    return o


def ring_text(body, r, size, m, z, a0=90, step=9.0):
    n = len(body)
    for i, ch in enumerate(body):
        if ch != ' ':
            a = math.radians(a0 - (i - (n - 1) / 2) * step)
            text(ch, size, m, (r * math.cos(a), r * math.sin(a), z), (0, 0, a - math.pi / 2), 0.001, style='Sans:bold')


def woven_label(at, width=3.4, height=1.9, tilt=0, ground='#f1ece2', ink='#23262c', turn=0):
    """the label in a neck or waist: a small piece of ribbon with the name woven in. at: middle, in units; sizes in cm"""
    from .fabrics import mat

    S = 0.04
    w, h = width * S, height * S
    had = set(bpy.data.objects)
    rbox(w, h, 0.006, 0.002, mat('ribbon', ground, 0.75, sheen=0.3), (0, 0, 0), 2)
    text('HABERDASH', w * 0.142, mat('woven', ink, 0.8), (0, 0, 0.0045), ext=0.0012, space=1.06)
    e = bpy.data.objects.new('label', None)
    bpy.context.scene.collection.objects.link(e)
    for o in bpy.data.objects:
        if o not in had and o is not e:
            o.parent = e
    e.location = at
    e.rotation_euler = (math.radians(tilt), 0, math.radians(turn))
    return e


def smooth_path(points, n=60):
    """catmull-rom through 3D points"""
    C = np.asarray(points, float)
    t = np.linspace(0, len(C) - 1, n)
    i = np.clip(t.astype(int), 0, len(C) - 2)
    u = (t - i)[:, None]
    g = lambda j: C[np.clip(j, 0, len(C) - 1)]
    p0, p1, p2, p3 = g(i - 1), g(i), g(i + 1), g(i + 2)
    return 0.5 * (2 * p1 + (p2 - p0) * u + (2 * p0 - 5 * p1 + 4 * p2 - p3) * u**2 + (3 * p1 - p0 - 3 * p2 + p3) * u**3)


def ribbon(points, width, thick, m, side=(1, 0, 0), n=60, uvk=1):
    """a flat band through 3D points (lace, webbing); side: the direction across it, one vector or one per point"""
    P = smooth_path(points, n)
    T = np.gradient(P, axis=0)
    T /= np.linalg.norm(T, axis=1)[:, None] + 1e-9
    W = smooth_path(side, n) if np.ndim(side) == 2 else np.tile(np.asarray(side, float), (n, 1))
    W = W - (W * T).sum(1)[:, None] * T
    W /= np.linalg.norm(W, axis=1)[:, None] + 1e-9
    Nn = np.cross(T, W)
    L = np.r_[0, np.cumsum(np.linalg.norm(np.diff(P, axis=0), axis=1))]
    sec = rrect(width, thick, min(width, thick) * 0.45, 4)
    return grid(
        [[tuple(P[i] + W[i] * a + Nn[i] * b) for a, b in sec] for i in range(n)],
        m,
        True,
        True,
        [[(L[i] * uvk, a * uvk) for a, b in sec] for i in range(n)],
    )
