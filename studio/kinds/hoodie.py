"""A hoodie, laid flat."""

from kit import *


def scene(
    color='#8d9096',
    marl=0.07,
    cords='#e9e6df',
    tips=None,
    inside_color='#6d7077',
    label=('#f1ece2', '#23262c'),
    view='whole',
):
    neck = (9.6, 68.2)
    wo = (40.6, 1.6)
    wi = (31.4, -0.6)
    outer = spline(
        [neck + ('c',), (15.5, 66.8), (22.5, 64.6), (29.2, 58.8), (35.2, 45), (39.4, 20), (41.2, 8), wo + ('c',)], 8
    )
    inner = spline(
        [
            wi + ('c',),
            (30.2, 7),
            (29.6, 20),
            (28.2, 36),
            (27.4, 43),
            (26.6, 42.2),
            (25.8, 30),
            (26.6, 9),
            (25.0, 0.6, 'c'),
        ],
        8,
    )
    hem = spline([(25.0, 0.6, 'c'), (12, 0), (0, -0.2)], 8)
    fn = spline([(0, 60.5), (4.6, 61.4), (8.0, 64.2), neck + ('c',)], 6)
    bn = spline([(0, 66.8), (5, 67), neck + ('c',)], 6)
    g = Garment([(outer, 'sew'), (np.array([wo, wi]), 'cuff'), (inner, 'sew'), (hem, 'hem')], fn, bn, step=0.05)

    def pose(V):
        x, y = V[:, 0] / S, V[:, 1] / S
        s = np.sign(x)
        ax = np.abs(x)
        body = sm(28, 25.5, ax)
        ax2 = ax * (1 - 0.035 * sm(60, 40, y) * body)
        slv = sm(26.5, 29.5, ax) * sm(64, 54, y)
        y2 = y + slv * (62 - y) * 0.055
        n1 = field(V, 0.9, 15.3) * 1.8
        n2 = field(V, 0.9, 6.3) * 1.8
        k = sm(60, 50, y)
        V[:, 0] = (s * ax2 + n1 * k) * S
        V[:, 1] = (y2 * 0.985 + 1 + n2 * k) * S
        V[:, 2] += 0.05 * (1 + field(V, 2.0, 5)) * k
        return V

    def pin(V):
        x, y = np.abs(V[:, 0] / S), V[:, 1] / S
        w = np.zeros(len(V))
        w[(x < 11) & (y > 60)] = 1
        w[g.iss & (x > 19) & (y > 56) & (x < 23)] = 1
        for c in (wo, wi, (25.0, 0.6), (25.8, 30), (27.4, 43)):
            w[np.hypot(x - c[0], y - c[1]) < 1.8] = 1
        w[(x < 1.6) & (y < 2)] = 1
        w[(x < 1.6) & (np.abs(y - 34) < 1.5)] = 1
        return w

    g.sim('hoodie', pose, pin, frames=34, turb=4.0, bend=0.6, tension=15, selfd=0.016)
    N = map_size(3072)
    T = Tex((-1.8, -0.2), 4.0, N)
    X, Y = T.X / S, T.Y / S
    base = rgb(color)
    rng = np.random.RandomState(2)
    # marl: dark and light fibres
    mar = blur(blur(rng.rand(N, N).astype(np.float32), 5, 0), 2, 1)
    mar = (mar - mar.mean()) / mar.std()
    mar = np.clip(mar, -2.2, 2.2)
    M = marl
    rib = lambda u: 0.5 + 0.5 * np.sin(2 * np.pi * u / 0.55)
    ah = [spline([(22.4 * s, 64.7), (21.0 * s, 58), (21.8 * s, 51), (27.2 * s, 43)], 12) for s in (1, -1)]

    def maps(nk, front):
        H = np.full((N, N), 0.45)
        h = np.r_[mir(g.R[3][0]), g.R[3][0][::-1][1:]]
        D, A = T.dist(h, 8 * S)
        k = (D < 6.4 * S) & (np.abs(X) < 27) & (Y < 9)
        H = np.where(k, 0.25 + 0.55 * rib(X) * sm(0, 0.4 * S, D), H)
        H -= 0.7 * np.exp(-(((D - 6.5 * S) / (0.16 * S)) ** 2)) * (np.abs(X) < 27)
        stitch(H, D + 9 * (np.abs(X) > 27), A, 7.0 * S, S, 0.35)
        for s in (1, -1):
            D, A = T.dist(np.array([(wo[0] * s, wo[1]), (wi[0] * s, wi[1])]) * S, 8 * S)
            m = np.abs(X) > 28.4
            k = (D < 6.4 * S) & m
            H = np.where(k, 0.25 + 0.55 * rib(A / S) * sm(0, 0.4 * S, D), H)
            H -= 0.7 * np.exp(-(((D - 6.5 * S) / (0.16 * S)) ** 2)) * m
            stitch(H, D + 9 * (~m), A, 7.0 * S, S, 0.35)
        for a in ah:
            D, A = T.dist(a * S, 2 * S)
            H -= 0.9 * np.exp(-((D / (0.16 * S)) ** 2))
            stitch(H, D, A, 0.4 * S, S, 0.35)
        if front:
            for q in pock:
                D, A = T.dist(np.array(q) * S, 2 * S)
                inn = T.poly(np.array(pk) * S)
                q0 = np.zeros_like(H)
                stitch(q0, D, A, 0.5 * S, S, 0.5)
                stitch(q0, D, A, 1.1 * S, S, 0.4)
                H += q0 * inn
        C = base * (1 + M * mar)[..., None] * (0.88 + 0.2 * np.clip(H, 0, 0.8))[..., None]
        return npimage('c%d' % front, np.clip(C, 0, 1)), npimage('h%d' % front, np.clip(H, -1, 2), True)

    pk = [(-9.5, 26.5), (9.5, 26.5), (16.5, 14.5), (16.8, 7.2), (-16.8, 7.2), (-16.5, 14.5)]
    pock = [[pk[0], pk[1]], [pk[1], pk[2]], [pk[5], pk[0]], [pk[2], pk[3]], [pk[4], pk[5]]]
    kw = dict(height=0.012, weave=460, weave_h=0.10, kind='knit', fuzz=0.04, sheen=0.5, rough=0.9)
    c, h = maps(fn, 1)
    mf = fabric('f', colimg=c, heightimg=h, **kw)
    c, h = maps(bn, 0)
    mb = fabric('b', colimg=c, heightimg=h, **kw)
    g.build(T, mf, mb, 1, 0.018)
    sf = g.surf()
    patch(sf, T, pk, mf, lambda x, y: 0.016 + 0.014 * sm(8, 15, abs(x)) * sm(8, 14, y), 0.016, 0.035)
    # hood: a lofted horseshoe, its lining behind
    z0 = 0.05

    def L(pts):  # a little unevenness, so that the hood looks laid by hand
        n = lambda x, y, k: noise.noise((x * 0.13, y * 0.13, k))
        return [
            (
                (x + 0.8 * n(x, y, 3)) * S,
                (y + 0.8 * n(x, y, 7)) * S,
                z + z0 + 0.035 * n(x * 1.6, y * 1.6, 5) * min(1, z / 0.1),
            )
            for x, y, z in pts
        ]

    def both(R):
        return L([(-x, y, z) for x, y, z in R[::-1]] + [(x, y, z) for x, y, z in R[1:]])

    out = [
        (0, 93.0, 0.03),
        (6.5, 91.4, 0.03),
        (11.6, 86.6, 0.04),
        (13.8, 79.5, 0.04),
        (13.2, 72.5, 0.035),
        (10.6, 67.4, 0.03),
        (6.6, 63.6, 0.035),
        (2.6, 60.9, 0.045),
        (-0.8, 59.9, 0.05),
    ]
    m1 = [
        (0, 93.4, 0.11),
        (6.4, 91.6, 0.12),
        (11.3, 86.6, 0.14),
        (13.3, 79.5, 0.15),
        (12.6, 72.8, 0.14),
        (10.2, 67.9, 0.12),
        (6.6, 64.2, 0.10),
        (2.8, 61.5, 0.085),
        (-0.4, 60.5, 0.085),
    ]
    m2 = [
        (0, 91.4, 0.20),
        (5.2, 89.9, 0.22),
        (9.4, 85.6, 0.25),
        (11.2, 79.4, 0.26),
        (10.6, 73.2, 0.23),
        (8.9, 68.7, 0.18),
        (6.0, 65.2, 0.14),
        (2.9, 62.6, 0.11),
        (0.0, 61.6, 0.10),
    ]
    rim = [
        (0, 88.4, 0.22),
        (4.2, 87.2, 0.235),
        (7.4, 83.9, 0.26),
        (8.9, 78.9, 0.265),
        (8.5, 73.8, 0.23),
        (7.2, 69.6, 0.18),
        (5.0, 66.3, 0.14),
        (2.6, 63.7, 0.115),
        (0.4, 62.7, 0.10),
    ]
    inn = [
        (0, 87.8, 0.15),
        (3.9, 86.7, 0.17),
        (6.9, 83.6, 0.19),
        (8.3, 78.8, 0.19),
        (8.0, 73.9, 0.16),
        (6.8, 69.9, 0.12),
        (4.8, 66.8, 0.09),
        (2.5, 64.3, 0.08),
        (0.6, 63.3, 0.075),
    ]
    Rn = 1536
    v2, u2 = np.mgrid[0:Rn, 0:Rn] / Rn
    mm = blur(blur(rng.rand(Rn, Rn).astype(np.float32), 5, 0), 5, 1)
    mm = np.clip((mm - mm.mean()) / mm.std(), -2.2, 2.2)
    Hh = np.full((Rn, Rn), 0.5)
    for d in (0.60, 0.64):
        q = np.zeros_like(Hh)
        stitch(q, np.abs(v2 - d) * 0.4, u2 * 3.6, 0, S, 0.45)
        Hh += q
    mh = fabric(
        'hood',
        colimg=npimage('hc', np.clip(base * (1 + M * mm)[..., None] * 0.96, 0, 1)),
        heightimg=npimage('hh', Hh, True),
        **kw
    )
    loft([both(P) for P in (out, m1, m2, rim, inn)], 120, 8, mh, 0.02, 1)
    li = fabric('in', color=inside_color, weave=300, weave_h=0.1, kind='knit', fuzz=0.05)
    ring = [(x, y) for x, y, z in inn]
    pol = [(x * 1.35, y + (1.6 if y > 80 else 0)) for x, y in ring[:-1]] + [(0, 61)]
    full = pol + [(-x, y) for x, y in pol[1:-1]][::-1]
    v, f = trimesh(resample(np.array(full + full[:1]) * S, 0.05)[:-1], 0.06)
    zz = 0.03 + 0.06 * np.abs(field(v, 2.2, 3))
    o = newobj('lin', np.c_[v, zz], f, v * 0.3, li)
    finish(o, 1, 0.01)
    # drawstring: two cords from steel eyelets
    lace = fabric('cord', color=cords, weave=160, weave_h=0.4, kind='plain', fuzz=0.03)
    st = mat('steel', '#b9bbc0', 0.25, metal=1)
    end = mat('tip', tips, 0.4) if tips else st
    for s, pts in (
        (
            1,
            [
                (3.4, 64.0, 0.18),
                (3.7, 62.0, 0.19),
                (4.2, 58, 0.13),
                (4.6, 53, 0.0),
                (4.0, 47, 0.0),
                (4.4, 41, 0.0),
                (5.0, 37.5, 0.0),
            ],
        ),
        (
            -1,
            [
                (-3.4, 64.0, 0.18),
                (-3.6, 62.0, 0.19),
                (-3.9, 58, 0.13),
                (-4.5, 52, 0.0),
                (-5.0, 46, 0.0),
                (-4.4, 40, 0.0),
                (-4.6, 35.5, 0.0),
            ],
        ),
    ):
        P = [(x * S, y * S, (z + z0) if z else sf.at(x * S, y * S, 0.03)[0][2]) for x, y, z in pts]
        cord(P, 0.0125, lace)
        a, b = np.array(P[-2]), np.array(P[-1])
        d = (b - a) / np.linalg.norm(b - a)
        cord([tuple(b - d * 0.01), tuple(b + d * 0.02), tuple(b + d * 0.05), tuple(b + d * 0.07)], 0.0155, end)
        bpy.ops.mesh.primitive_torus_add(
            major_radius=0.024,
            minor_radius=0.008,
            location=(P[0][0], P[0][1], P[0][2] - 0.005),
            rotation=(0.25, 0.35 * s, 0),
        )
        bpy.context.object.data.materials.append(st)
    woven_label((0, 67.4 * S, 0.155), 3.8, 1.9, 0, *label)
    if view == 'hood':
        studio_flat(center=(0, 2.75), height=2.5, key=420, fill=0.24)
    else:
        studio_flat(center=(0, 1.78), height=4.8, key=400, fill=0.24)
    return dict(exposure=0.75, look='Medium High Contrast', cloth=True)
