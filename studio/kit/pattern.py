"""Pattern and sewing: outlines in centimetres, two layers of triangles that share the vertices of their sewn edges."""

import hashlib
import os
import numpy as np
import bpy
from mathutils import Vector, geometry, noise
from .log import log, cache_file
from .shapes import newobj, finish, text
from .cloth import simulate, Surf


def sm(e0, e1, x):
    """smooth step: 0 at e0, 1 at e1"""
    t = np.clip((x - e0) / (e1 - e0), 0, 1)
    return t * t * (3 - 2 * t)


def spline(pts, n=10, closed=False):
    """catmull-rom through pts; a pt with 3rd item 'c' is a corner"""
    P = [np.array(p[:2], float) for p in pts]
    C = [len(p) > 2 for p in pts]
    N = len(P)
    out = []
    for i in range(N if closed else N - 1):
        p1 = P[i]
        p2 = P[(i + 1) % N]
        p0 = P[i - 1] if (i > 0 or closed) and not C[i] else p1 - (p2 - p1)
        p3 = P[(i + 2) % N] if (i + 2 < N or closed) and not C[(i + 1) % N] else p2 + (p2 - p1)
        d = np.linalg.norm(p2 - p1)
        for k in range(n):
            t = k / n
            m1 = (p2 - p0) / 2
            m2 = (p3 - p1) / 2
            # limit tangents at corners
            if C[i]:
                m1 = p2 - p1
            if C[(i + 1) % N]:
                m2 = p2 - p1
            h = (
                (2 * t**3 - 3 * t**2 + 1) * p1
                + (t**3 - 2 * t**2 + t) * m1
                + (-2 * t**3 + 3 * t**2) * p2
                + (t**3 - t**2) * m2
            )
            out.append(h)
    if not closed:
        out.append(P[-1])
    return np.array(out)


def resample(poly, step):
    """points along a polyline, about `step` apart"""
    P = np.array(poly)
    d = np.r_[0, np.cumsum(np.linalg.norm(np.diff(P, axis=0), axis=1))]
    n = max(1, int(round(d[-1] / step)))
    s = np.linspace(0, d[-1], n + 1)
    return np.c_[np.interp(s, d, P[:, 0]), np.interp(s, d, P[:, 1])]


def inside(poly, pts):
    """which points lie in a closed outline"""
    x, y = pts[:, 0], pts[:, 1]
    r = np.zeros(len(pts), bool)
    n = len(poly)
    for i in range(n):
        x1, y1 = poly[i]
        x2, y2 = poly[(i + 1) % n]
        c = (y1 > y) != (y2 > y)
        with np.errstate(divide='ignore', invalid='ignore'):
            r ^= c & (x < (x2 - x1) * (y - y1) / (y2 - y1) + x1)
    return r


def bdist(poly, pts, closed=True):
    """distance of points to an outline"""
    A = np.array(poly)
    B = np.roll(A, -1, 0)
    if not closed:
        A, B = A[:-1], B[:-1]
    best = np.full(len(pts), 1e9)
    for a, b in zip(A, B):
        ab = b - a
        L = (ab @ ab) + 1e-12
        t = np.clip(((pts - a) @ ab) / L, 0, 1)
        best = np.minimum(best, np.linalg.norm(pts - (a + t[:, None] * ab), axis=1))
    return best


def trimesh(poly, step, seed=1):
    """poly: closed boundary already resampled. returns verts,faces with boundary first"""
    rng = np.random.RandomState(seed)
    mn = poly.min(0)
    mx = poly.max(0)
    ys = np.arange(mn[1], mx[1], step * 0.866)
    g = []
    for j, y in enumerate(ys):
        xs = np.arange(mn[0] - step, mx[0] + step, step) + (step / 2 if j % 2 else 0)
        g.append(np.c_[xs, np.full(len(xs), y)])
    g = np.concatenate(g)
    g += rng.uniform(-0.12, 0.12, g.shape) * step
    g = g[inside(poly, g)]
    g = g[bdist(poly, g) > step * 0.55]
    V = np.r_[poly, g]
    n = len(poly)
    r = geometry.delaunay_2d_cdt(
        [Vector(v) for v in V], [(i, (i + 1) % n) for i in range(n)], [list(range(n))], 1, 1e-6
    )
    vo = np.array([tuple(v) for v in r[0]])
    assert len(vo) == len(V), (len(vo), len(V))
    return vo, [tuple(f) for f in r[2]]


def field(P, s, seed):
    """low noise at points, for styled poses"""
    return np.array([noise.noise((p[0] * s, p[1] * s, seed)) for p in P])


S = 0.04  # units per centimetre


def mir(a):
    """the left half of a curve drawn for the right"""
    a = np.asarray(a)
    return np.c_[-a[:, 0], a[:, 1]]


class Garment:
    """two-layer garment. segs: list of (curve_cm, kind) along the right half from neck end (shared) to bottom centre; kind 'sew' or open.
    fneck/bneck: curve from centre (x=0) to the shared neck end. bhem: the back's own last curve, where front and back differ (blazer).
    """

    def __init__(g, segs, fneck, bneck, step=0.045, seed=1, bhem=None):
        rs = lambda a: resample(np.asarray(a) * S, step)
        R = [(rs(a), k) for a, k in segs]
        g.R = R
        g.step = step

        def loop(nk, R):
            nk = rs(nk)
            pts = []
            for a in [nk] + [r for r, _ in R]:
                pts += list(a[:-1])
            for a in [mir(r)[::-1] for r, _ in R[::-1]] + [mir(nk)[::-1]]:
                pts += list(a[:-1])
            return np.array(pts)

        g.fl, g.bl = loop(fneck, R), loop(bneck, R[:-1] + [(rs(bhem), 'hem')] if bhem is not None else R)
        fv, ff = trimesh(g.fl, step, seed)
        bv, bf = trimesh(g.bl, step, seed + 1)
        sewn = np.concatenate([r for r, k in R if k == 'sew'] + [mir(r) for r, k in R if k == 'sew'])
        iss = lambda p: np.min(np.abs(sewn - p).sum(1)) < 1e-5
        key = lambda p: (round(p[0], 4), round(p[1], 4))
        V = []
        si = {}
        for p in fv:
            s = iss(p)
            V.append((p[0], p[1], 0.03 if s else 0.058))
            if s:
                si[key(p)] = len(V) - 1
        bm = []
        for p in bv:
            if key(p) in si and iss(p):
                bm.append(si[key(p)])
            else:
                bm.append(len(V))
                V.append((p[0], p[1], 0.016))
        g.bm = bm
        g.flat = np.array(V)
        g.ff = ff
        g.F = [tuple(f) for f in ff] + [tuple(bm[i] for i in f[::-1]) for f in bf]
        g.nff = len(ff)
        g.nf = len(fv)
        g.iss = np.array([iss(p[:2]) for p in g.flat])
        g.fi = list(range(len(fv)))
        g.bi = list(bm)
        g.bd = np.full(len(V), 9.0)
        g.bd[g.fi] = bdist(g.fl, fv)
        g.bd[g.bi] = np.minimum(g.bd[g.bi], bdist(g.bl, bv))
        log('mesh', len(V), len(g.F))

    def sim(g, name, pose, pinw, frames=40, **k):
        """settle the garment on the table; kept in the cache under a hash of everything that goes in"""
        start = pose(g.flat.copy())
        w = np.asarray(pinw(g.flat), float)
        h = hashlib.sha1(repr((frames, sorted(k.items()), g.F)).encode())
        for a in (g.flat, start, w):
            h.update(np.round(a, 5).tobytes())
        f = cache_file('%s-%s.npz' % (name, h.hexdigest()[:12]))
        if os.path.exists(f):
            g.co = np.load(f)['co']
            log('settled before')
            return
        o = newobj(name, start, g.F)
        vg = o.vertex_groups.new(name='pin')
        for i in np.nonzero(w > 0)[0]:
            vg.add([int(i)], float(w[i]), 'REPLACE')
        rim = o.vertex_groups.new(name='rim')
        rim.add([int(i) for i in np.nonzero(g.bd < 1.9 * g.step)[0]], 1, 'REPLACE')
        g.co = simulate(o, frames=frames, rest=g.flat, pinvg='pin', rimvg='rim', **k)
        np.savez(f, co=g.co)
        bpy.data.objects.remove(o, do_unlink=True)

    def smooth(g, it=14, lap=2):
        c = g.co - g.flat
        e = np.array([(t[i], t[(i + 1) % 3]) for t in g.F for i in range(3)])
        e = np.r_[e, e[:, ::-1]]
        fixed = np.zeros(len(c), bool)
        for _ in range(lap):
            a = np.zeros_like(c)
            n = np.zeros(len(c))
            np.add.at(a, e[:, 0], c[e[:, 1]])
            np.add.at(n, e[:, 0], 1)
            b = np.zeros(len(c), bool)
            b[: len(g.fl)] = 1
            b[[g.bm[i] for i in range(len(g.bl))]] = 1
            m = ~b
            c[m] = 0.6 * c[m] + 0.4 * (a[m] / n[m][:, None])
        for L in (list(range(len(g.fl))), [g.bm[i] for i in range(len(g.bl))]):
            P = g.flat[L][:, :2]
            d1 = P - np.roll(P, 1, 0)
            d2 = np.roll(P, -1, 0) - P
            cs = (d1 * d2).sum(1) / (np.linalg.norm(d1, axis=1) * np.linalg.norm(d2, axis=1) + 1e-9)
            k = (cs > 0.85)[:, None]
            for _ in range(it):
                q = c[L]
                c[L] = np.where(k, 0.5 * q + 0.25 * np.roll(q, 1, 0) + 0.25 * np.roll(q, -1, 0), q)
        g.tidy(c)
        g.co = c + g.flat

    def tidy(g, c, w=2.6):
        """rings next to an outline follow the outline: no scallops. c: displacements, w: width in steps"""
        W = w * g.step
        e = np.array([(t[i], t[(i + 1) % 3]) for t in g.F for i in range(3)])
        e = np.r_[e, e[:, ::-1]]
        for loop, ids in ((list(range(len(g.fl))), g.fi), ([g.bm[i] for i in range(len(g.bl))], g.bi)):
            lp = np.array(loop)
            P = g.flat[lp][:, :2]
            Q = np.roll(P, -1, 0)
            inr = np.array(sorted(set(ids) - set(loop)))
            inr = inr[g.bd[inr] < W]
            X = g.flat[inr][:, :2]
            best = np.full(len(X), 9.0)
            cb = np.zeros((len(X), 3))
            zb = np.zeros(len(X))
            sewn = np.zeros(len(X))
            for k in range(len(lp)):
                i, j = lp[k], lp[(k + 1) % len(lp)]
                ab = Q[k] - P[k]
                t = np.clip(((X - P[k]) @ ab) / (ab @ ab + 1e-12), 0, 1)
                d = np.linalg.norm(X - (P[k] + t[:, None] * ab), axis=1)
                m = d < best
                best = np.where(m, d, best)
                cb = np.where(m[:, None], (1 - t)[:, None] * c[i] + t[:, None] * c[j], cb)
                zb = np.where(m, (1 - t) * (c[i, 2] + g.flat[i, 2]) + t * (c[j, 2] + g.flat[j, 2]), zb)
                sewn = np.where(m, float(g.iss[i] and g.iss[j]), sewn)
            t = sm(0, W, best)[:, None]
            c[inr, :2] = (cb * (1 - t) + c[inr] * t)[:, :2]
            # height: a rounded edge from the seam up to the panel
            tz = np.clip(best / W, 0, 1) ** 0.75
            z = c[inr, 2] + g.flat[inr, 2]
            c[inr, 2] = zb + (z - zb) * tz - g.flat[inr, 2]
            msk = np.zeros(len(c), bool)
            msk[inr] = 1
            lay = np.zeros(len(c), bool)
            lay[ids] = 1
            ee = e[msk[e[:, 0]] & lay[e[:, 1]]]
            for _ in range(6):
                a = np.zeros_like(c)
                n = np.zeros(len(c))
                np.add.at(a, ee[:, 0], c[ee[:, 1]])
                np.add.at(n, ee[:, 0], 1)
                c[inr] = 0.5 * c[inr] + 0.5 * a[inr] / n[inr][:, None]

    def surf(g):
        return Surf(g.flat[:, :2], g.ff, g.co)

    def build(g, T, mf, mb, sub=1, thick=0.01):
        g.smooth()
        o = newobj('g', g.co, g.F, T.uv(g.flat), [mf, mb])
        idx = np.zeros(len(g.F), np.int32)
        idx[g.nff :] = 1
        o.data.polygons.foreach_set('material_index', idx)
        me = o.data
        ev = np.empty(len(me.edges) * 2, np.int32)
        me.edges.foreach_get('vertices', ev)
        ev = ev.reshape(-1, 2)
        # sewn outline edges stay on the outline: without the crease subdivision pulls each seam vertex in by its own amount
        L = len(g.fl)
        cr = np.array(
            [
                1.0 if (a < L and b < L and g.iss[a] and g.iss[b] and (abs(a - b) == 1 or abs(a - b) == L - 1)) else 0.0
                for a, b in ev
            ],
            np.float32,
        )
        me.edges.foreach_set('crease', cr)
        finish(o, sub, thick)
        return o


def patch(sf, T, poly, m, h=0.011, thick=0.008, step=0.03, sub=1):
    """a second layer of cloth (pocket, flap, lapel, band) laid on the settled surface. poly: closed outline in cm; h: height, number or function (x,y in cm); shares the pattern's UV"""
    out = []
    A = np.r_[np.asarray([q[:2] for q in poly], float), [poly[0][:2]]] * S
    for a, b in zip(A[:-1], A[1:]):
        out += list(resample([a, b], step)[:-1])
    q = [out[0]]
    for p in out[1:]:
        if np.linalg.norm(p - q[-1]) > step * 0.35:
            q.append(p)
    if np.linalg.norm(q[0] - q[-1]) < step * 0.35:
        q.pop()
    v, f = trimesh(np.array(q), step)
    V = [sf.at(x, y, h(x / S, y / S) if callable(h) else h)[0] for x, y in v]
    a = v[list(f[0])]
    flip = np.cross(a[1] - a[0], a[2] - a[0]) < 0
    o = newobj('patch', V, [t[::-1] for t in f] if flip else f, T.uv(v), m)
    finish(o, sub, thick)
    o.data.use_auto_smooth = True
    o.data.auto_smooth_angle = 0.9
    return o


def print_on(sf, body, size, m, x, y, turn=0, height=0.012, style='Sans:bold', space=1.1):
    """a word printed on the settled cloth; size and place in cm"""
    tx = text(body, size * S, m, ext=0.0004, style=style, space=space)
    bpy.context.view_layer.update()
    me = bpy.data.meshes.new_from_object(tx.evaluated_get(bpy.context.evaluated_depsgraph_get()))
    bpy.data.objects.remove(tx)
    c, s = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    for v in me.vertices:
        a, b = v.co.x * c - v.co.y * s, v.co.x * s + v.co.y * c
        v.co = Vector(sf.at(x * S + a, y * S + b, height + max(0, v.co.z))[0])
    o = bpy.data.objects.new('print', me)
    bpy.context.scene.collection.objects.link(o)
    return o


def cord(points, r, m):
    """a smooth cord through 3D points"""
    cu = bpy.data.curves.new('cord', 'CURVE')
    cu.dimensions = '3D'
    cu.bevel_depth = r
    cu.bevel_resolution = 5
    sp = cu.splines.new('NURBS')
    sp.points.add(len(points) - 1)
    for q, p in zip(sp.points, points):
        q.co = (*p, 1)
    sp.use_endpoint_u = True
    sp.order_u = 4
    o = bpy.data.objects.new('cord', cu)
    bpy.context.scene.collection.objects.link(o)
    cu.materials.append(m)
    return o
