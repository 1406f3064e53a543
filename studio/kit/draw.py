"""Maps: height and colour drawn in pattern space with numpy (stitches, ribs, pockets, coloured thread, marl)."""

import os
import numpy as np
from .pattern import S, inside, sm


def map_size(n):
    """size of a map in pixels; small pictures need less"""
    return int(n * float(os.environ.get('STUDIO_MAPS') or 1)) // 4 * 4


class Tex:
    """numpy canvas in pattern space; UV = (p - org)/ext"""

    def __init__(s, org, ext, res=2048):
        s.org = np.array(org, float)
        s.ext = ext
        s.res = res
        g = (np.arange(res) + 0.5) / res * ext
        s.X, s.Y = np.meshgrid(g + org[0], g + org[1])

    def uv(s, P):
        return (P[:, :2] - s.org) / s.ext

    def px(s):
        return s.ext / s.res

    def dist(s, curve, maxd):
        """distance + arc length to an open polyline, only within maxd"""
        C = np.asarray(curve)
        D = np.full((s.res, s.res), 9.0)
        A = np.zeros((s.res, s.res))
        L = 0
        for a, b in zip(C[:-1], C[1:]):
            lo = np.minimum(a, b) - maxd
            hi = np.maximum(a, b) + maxd
            i0, j0 = np.clip(((lo - s.org) / s.ext * s.res).astype(int), 0, s.res)
            i1, j1 = np.clip(((hi - s.org) / s.ext * s.res).astype(int) + 1, 0, s.res)
            ab = b - a
            l = np.linalg.norm(ab)
            if l < 1e-9:
                continue
            sl = (slice(j0, j1), slice(i0, i1))
            px = s.X[sl] - a[0]
            py = s.Y[sl] - a[1]
            t = np.clip((px * ab[0] + py * ab[1]) / l / l, 0, 1)
            d = np.hypot(px - t * ab[0], py - t * ab[1])
            m = d < D[sl]
            D[sl] = np.where(m, d, D[sl])
            A[sl] = np.where(m, L + t * l, A[sl])
            L += l
        return D, A

    def poly(s, P):
        """mask of a closed outline, tested only within its bounds"""
        P = np.asarray(P)
        m = np.zeros((s.res, s.res), bool)
        lo, hi = P.min(0), P.max(0)
        i0, j0 = np.clip(((lo - s.org) / s.ext * s.res).astype(int) - 1, 0, s.res)
        i1, j1 = np.clip(((hi - s.org) / s.ext * s.res).astype(int) + 2, 0, s.res)
        sl = (slice(j0, j1), slice(i0, i1))
        x = s.X[sl]
        if x.size:
            m[sl] = inside(P, np.c_[x.ravel(), s.Y[sl].ravel()]).reshape(x.shape)
        return m


def stitch(H, D, A, at, S, depth=0.5, length=0.32, w=0.05):
    """groove + thread dashes at distance `at` (units) from curve; S = units per cm"""
    ww = w * S * 1.6
    H -= depth * np.exp(-(((D - at) / (ww * 1.6)) ** 2))
    dash = np.sin(2 * np.pi * A / (length * S)) > -0.45
    H += depth * 1.1 * np.exp(-(((D - at) / (ww * 0.7)) ** 2)) * dash


def thread(C, D, A, at, col, length=0.34, w=0.055, fill=0.62):
    """paint a row of coloured stitches at distance `at` (units) from a curve"""
    dash = sm(0.5 + 0.5 * fill, 0.38 + 0.5 * fill, np.abs(((A / (length * S)) % 1) * 2 - 1))
    m = (np.exp(-(((D - at) / (w * S * 1.25)) ** 4)) * dash)[..., None]
    return C * (1 - m) + np.asarray(col) * m


def blur(a, n, axis):
    """box blur, wrapped"""
    k = np.cumsum(np.concatenate([a.take(range(-n, 0), axis), a], axis), axis, dtype=np.float64)
    L = a.shape[axis]
    return ((k.take(range(n, L + n), axis) - k.take(range(0, L), axis)) / n).astype(np.float32)


def rgb(h):
    return np.array([int(h.lstrip('#')[i : i + 2], 16) / 255 for i in (0, 2, 4)])


def cloud(n, scale, seed):
    """smooth noise, n x n, about scale pixels"""
    r = np.random.RandomState(seed).rand(n // scale + 3, n // scale + 3).astype(np.float32)
    x = np.arange(n) / scale
    i = x.astype(int)
    f = x - i
    f = f * f * (3 - 2 * f)
    r = r[:, i] * (1 - f) + r[:, i + 1] * f
    return r[i] * (1 - f)[:, None] + r[i + 1] * f[:, None]


def noise_map(n, along, across, seed):
    """random threads: blurred `along` pixels in y and `across` in x, mean 0, deviation 1"""
    r = np.random.RandomState(seed).rand(n, n).astype(np.float32)
    if along > 1:
        r = blur(r, along, 0)
    if across > 1:
        r = blur(r, across, 1)
    return np.clip((r - r.mean()) / (r.std() + 1e-9), -2.2, 2.2)


def weave(kind, X, Y, seed=3):
    """how a cloth looks close up: (value about 1, height about 0) for coordinates in cm"""
    n = X.shape[0]
    X = X.astype(np.float32)
    Y = Y.astype(np.float32)
    one = np.ones((n, n), np.float32)
    zero = one * 0
    px = max(8, int(n / abs(X[0, -1] - X[0, 0])))  # pixels per cm
    if kind == 'hopsack':
        p = 0.40
        u, v = X / p, Y / p
        odd = ((np.floor(u) + np.floor(v)) % 2) > 0
        a, b = np.abs(np.sin(np.pi * u)), np.abs(np.sin(np.pi * v))
        h = np.where(
            odd,
            a**0.5 * (0.72 + 0.28 * np.abs(np.cos(2 * np.pi * v))),
            b**0.5 * (0.72 + 0.28 * np.abs(np.cos(2 * np.pi * u))),
        )
        return 0.74 + 0.36 * h + 0.05 * noise_map(n, px // 3, px // 8, seed) * h, 0.55 * (h - 0.6)
    if kind == 'sharkskin':
        t = ((X + Y * 1.0) / 0.20) % 1
        h = np.abs(np.sin(np.pi * t))
        return 1 + 0.085 * (h - 0.6) + 0.035 * noise_map(n, px // 2, 2, seed) + 0.02 * noise_map(
            n, 2, px // 2, seed + 1
        ), 0.12 * (h - 0.6)
    if kind in ('flannel', 'melton', 'nap'):
        k = {'flannel': 0.055, 'melton': 0.06, 'nap': 0.035}[kind]
        f = noise_map(n, 3, 3, seed)
        c = cloud(n, max(4, px // 2), seed) - 0.5
        d = cloud(n, px * 4, seed + 5) - 0.5
        return 1 + k * f + 0.10 * c + (0.16 if kind == 'nap' else 0.08) * d, 0.10 * f + 0.25 * c
    if kind == 'linen':
        a, b = noise_map(n, px * 3, 2, seed), noise_map(n, 2, px * 3, seed + 1)
        g = noise_map(n, 2, 2, seed + 2)
        return 1 + 0.038 * a + 0.035 * b + 0.03 * g, 0.16 * a + 0.14 * b + 0.06 * g
    if kind == 'slub':
        b = noise_map(n, 3, px * 4, seed + 1)
        s = np.clip(b - 0.9, 0, 2)
        return 1 + 0.035 * b + 0.075 * s, 0.10 * b + 0.28 * s
    if kind in ('twill', 'denim'):
        p = 0.17 if kind == 'twill' else 0.24
        h = np.abs(np.sin(np.pi * (X * 0.8 + Y) / p))
        a = noise_map(n, px * 2, 2, seed)
        k = 0.10 if kind == 'twill' else 0.16
        return 1 + k * (h - 0.62) + (0.025 if kind == 'twill' else 0.06) * a, 0.30 * (h - 0.62)
    if kind == 'pique':
        p = 0.26
        h = (np.abs(np.sin(np.pi * X / p)) * np.abs(np.sin(np.pi * (Y / p + 0.5 * np.floor(X / p))))) ** 0.7
        return 0.86 + 0.22 * h, 0.30 * h - 0.15
    if kind == 'mesh':
        p = 0.42
        u = X / p
        v = Y / p + 0.5 * (np.floor(u) % 2)
        d = np.hypot(u - np.floor(u) - 0.5, (v - np.floor(v) - 0.5))
        h = sm(0.16, 0.30, d)
        g = np.abs(np.sin(2 * np.pi * Y / 0.14))
        return 0.62 + 0.38 * h + 0.03 * g, 0.5 * (h - 0.8) + 0.04 * g
    if kind == 'jersey':
        a = (X / 0.15) % 1
        t = np.abs(a - 0.5) * 2
        h = np.abs(np.cos(np.pi * (Y / 0.13 - 0.75 * t))) * np.sin(np.pi * ((a * 2) % 1)) ** 0.6
        return 0.95 + 0.07 * h, 0.10 * h
    if kind == 'marl':
        m = noise_map(n, max(3, px // 7), 2, seed)
        return 1 + 0.085 * m, 0.05 * m
    return one, zero
