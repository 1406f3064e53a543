"""Crew socks laid flat, in pairs held by a paper band."""

from kit import *

OUTLINE = [
    (-4.6, 22, 'c'),
    (-4.4, 12),
    (-4.5, 3),
    (-5.0, -2),
    (-4.6, -6.2),
    (-1.8, -9.0),
    (3, -9.0),
    (9, -9.3),
    (14.5, -9.2),
    (17.6, -7.0),
    (18.0, -3.8),
    (15.6, -1.4),
    (10, -0.6),
    (6.2, 0.6),
    (4.6, 4.2),
    (4.5, 12),
    (4.6, 22, 'c'),
    (0, 22.3),
]
MIDDLE = [(0, 22.4), (0, 12), (0, 3.5), (0.9, -2.2), (4.6, -4.8), (10, -5.2), (16, -5.2), (19, -5.2)]


def sock(T, N, m, x, y, z, turn, seed):
    """one sock: a flat bag, swollen a little"""
    ring = resample(np.r_[spline(OUTLINE, 8, True), [OUTLINE[0][:2]]] * S, 0.045)[:-1]
    v, f = trimesh(ring, 0.05, seed)
    d = bdist(ring, v)
    n = np.array(
        [noise.noise((p[0] * 1.3, p[1] * 1.3, seed * 2.3)) + 0.5 * noise.noise((p[0] * 3, p[1] * 3, seed)) for p in v]
    )
    h = 0.058 * np.sqrt(np.clip(1 - (1 - np.clip(d / 0.16, 0, 1)) ** 2, 0, 1))
    hh = h * (1 + 0.35 * n)
    a = math.radians(turn)
    c, s = math.cos(a), math.sin(a)
    w = v + 0.012 * np.c_[n, -n]
    V = np.c_[w[:, 0] * c - w[:, 1] * s + x, w[:, 0] * s + w[:, 1] * c + y, z + hh]
    k = f[0]
    A = v[list(k)]
    flip = np.cross(A[1] - A[0], A[2] - A[0]) < 0
    o = newobj('sock', V, [t[::-1] for t in f] if flip else f, T.uv(v), m)
    finish(o, 1, 0.012)
    skirt = len(ring)
    newobj(
        'side',
        list(V[:skirt]) + [(p[0], p[1], max(0.004, z - 0.03)) for p in V[:skirt]],
        [(i, (i + 1) % skirt, skirt + (i + 1) % skirt, skirt + i) for i in range(skirt)],
        np.r_[T.uv(v[:skirt]), T.uv(v[:skirt])],
        m,
    )


def scene(color='#b3842b', dark=None, pairs=3):
    N = map_size(2400)
    T = Tex((-0.7, -0.7), 1.9, N)
    X, Y = T.X / S, T.Y / S
    mid = spline(MIDDLE, 14)
    D, A = T.dist(mid * S, 9 * S)
    side = np.sign(X * 1.0 - np.interp(Y, mid[::-1, 1], mid[::-1, 0]))
    u = D / S * np.where(A / S < 22, side, np.sign(Y + 5))
    v = A / S
    rib = 0.5 + 0.5 * np.cos(2 * np.pi * u / 0.62)
    stitches = 0.5 + 0.5 * np.sin(2 * np.pi * v / 0.24)
    cuff = v < 4.6
    heel = np.hypot(X + 3.6, Y + 7.0) < 5.6
    toe = X > 13.4
    plain = heel | toe
    ribs_here = (Y > -1.5) | (Y > -5.0)
    H = np.where(ribs_here & ~plain, 0.30 + 0.55 * rib, 0.55) + 0.10 * stitches
    H = np.where(cuff, 0.25 + 0.75 * (0.5 + 0.5 * np.cos(2 * np.pi * u / 0.44)), H)
    C = np.empty((N, N, 3))
    C[:] = rgb(color)
    C[plain] = rgb(dark or shade(color, 0.90))
    C = C * (0.66 + 0.40 * np.clip(H, 0, 1))[..., None] * (1 + 0.05 * noise_map(N, 3, 3, 2))[..., None]
    m = fabric(
        'knit',
        colimg=npimage('c', np.clip(C, 0, 1)),
        heightimg=npimage('h', np.clip(H, 0, 1.5), True),
        height=0.014,
        weave=420,
        weave_h=0.05,
        kind='knit',
        fuzz=0.05,
        sheen=0.5,
        rough=0.9,
    )
    paper = mat('paper', '#efe8da', 0.7, spec=0.2)
    ink = mat('ink', '#26241f', 0.7)
    for i in range(pairs):
        x = (i - (pairs - 1) / 2) * (0.50 if pairs == 3 else 0.62) - 0.22
        y = (i - (pairs - 1) / 2) * -0.10 + 0.18
        turn = 3 - 2.0 * i
        z = 0.012 + (0.0 if pairs == 2 else 0.0) + i * 0.075
        sock(T, N, m, x + 0.035, y + 0.03, z, turn + 1.2, 3 + i * 2)
        sock(T, N, m, x, y, z + 0.055, turn, 4 + i * 2)
        last = (x, y, z, turn)

        # the band round each pair
        def band():
            rbox(0.40, 0.19, 0.004, 0.0015, paper, (0, 0, 0), 1)
            text('HABERDASH', 0.050, ink, (0, 0, 0.0028), ext=0.0005, space=1.1)

        a = math.radians(turn)
        group(band, loc=(x - math.sin(a) * 0.34, y + math.cos(a) * 0.34, z + 0.137), rot=(0, 0, turn))
    studio_flat(center=(0.0, 0.38), height=3.7 if pairs == 3 else 3.2, key=360, fill=0.26)
    return dict(exposure=0.65, look='Medium High Contrast', cloth=True)
