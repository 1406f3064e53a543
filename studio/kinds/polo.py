"""A polo shirt, laid flat."""

from kit import *


def scene(color='#1b3c30', tip='#efe6d2', button_color='#e9e4d8', label='#f1ece2', view='whole'):
    neck = (8.2, 69.6)
    sh = (22, 66)
    slt = (37.6, 48.6)
    slb = (27.4, 42.2)
    g = Garment(
        [
            (spline([neck + ('c',), (15.5, 68.2), sh, (29.4, 60), slt + ('c',)], 8), 'sew'),
            (np.array([slt, slb]), 'cuff'),
            (spline([slb + ('c',), (26.0, 44.6), (25.2, 43), (24.2, 30), (24.6, 12), (25.0, 0, 'c')], 8), 'sew'),
            (spline([(25.0, 0, 'c'), (13, -0.4), (0, -0.6)], 6), 'hem'),
        ],
        spline([(0, 60.6), (4.2, 61.5), (7.0, 64.8), neck + ('c',)], 6),
        spline([(0, 67.6), (4.5, 67.9), neck + ('c',)], 6),
    )
    fn = spline([(0, 60.6), (4.2, 61.5), (7.0, 64.8), neck + ('c',)], 6)
    bn = spline([(0, 67.6), (4.5, 67.9), neck + ('c',)], 6)

    def pose(V):
        x, y = V[:, 0] / S, V[:, 1] / S
        s = np.sign(x)
        ax = np.abs(x)
        w = sm(19, 27, ax) * sm(38, 46, y)
        ang = -np.radians(8) * w
        px, py = 21, 62
        dx, dy = ax - px, y - py
        ax2 = px + dx * np.cos(ang) - dy * np.sin(ang)
        y2 = py + dx * np.sin(ang) + dy * np.cos(ang)
        ax2 = ax2 * (1 - 0.035 * sm(60, 40, y))
        n1 = field(V, 1.1, 13.3) * 1.4
        n2 = field(V, 1.1, 4.3) * 1.3
        k = sm(58, 50, y) * (1 - 0.7 * sm(4, 1, ax) * sm(40, 46, y))
        V[:, 0] = (s * ax2 + n1 * k) * S
        V[:, 1] = (y2 * 0.98 + 1.2 + n2 * k) * S
        V[:, 2] += 0.03 * (1 + field(V, 2.6, 5)) * k
        return V

    def pin(V):
        x, y = np.abs(V[:, 0] / S), V[:, 1] / S
        w = np.zeros(len(V))
        w[(x < 10) & (y > 61)] = 1
        w[g.iss & (x > 19) & (y > 50) & (x < 24)] = 1
        w[(x < 2.2) & (y > 44)] = 1
        for c in (slt, slb, (25.0, 0), (24.6, 12), (24.2, 30)):
            w[(np.hypot(x - c[0], y - c[1]) < 1.7)] = 1
        return w

    g.sim('polo', pose, pin, frames=38, turb=5.0, bend=0.25, tension=15, selfd=0.014)
    N = map_size(3072)
    T = Tex((-1.8, -0.2), 3.6, N)
    X, Y = (T.X / S), (T.Y / S)
    base = rgb(color)
    # pique: small offset cells
    p = 0.26
    cell = np.abs(np.sin(np.pi * X / p)) * np.abs(np.sin(np.pi * (Y / p + 0.5 * np.floor(X / p))))
    pq = (cell**0.7).astype(np.float32)
    fl = lambda u, v: 0.5 + 0.5 * np.sin(2 * np.pi * u / 0.32)

    def maps(nk, front):
        H = 0.35 + 0.30 * pq
        nk = np.r_[mir(nk)[::-1], nk[1:]] * S
        D, A = T.dist(nk, 3 * S)
        stitch(H, D, A, 0.6 * S, S, 0.3)
        hem = np.r_[mir(g.R[3][0]), g.R[3][0][::-1][1:]]
        D, A = T.dist(hem, 4 * S)
        stitch(H, D, A, 2.3 * S, S, 0.4)
        for s in (1, -1):
            D, A = T.dist(np.array([(slt[0] * s, slt[1]), (slb[0] * s, slb[1])]) * S, 5 * S)
            k = D < 3.2 * S
            H = np.where(k, 0.45 + 0.30 * fl(A / S, 0), H)
            H -= 0.8 * np.exp(-(((D - 3.25 * S) / (0.14 * S)) ** 2))
            ah = spline([(22.2 * s, 65.9), (20.6 * s, 59), (21.2 * s, 52), (25.6 * s, 44.4)], 10) * S
            D, A = T.dist(ah, 2 * S)
            H -= 0.8 * np.exp(-((D / (0.14 * S)) ** 2))
            stitch(H, D, A + 0, 0.7 * S, S, 0.3)
            D, A = T.dist(np.array([(25.0 * s, 0), (24.75 * s, 6)]) * S, 1 * S)
            stitch(H, D, A, 0.45 * S, S, 0.3)
        if front:
            k = (np.abs(X) < 1.75) & (Y > 44.6)
            H = np.where(k, 0.75 + 0.22 * pq, H)
            stitch(H, np.abs(np.abs(X) - 1.45) * S + 9 * (Y < 44.8), Y * S, 0, S, 0.45)
            stitch(H, np.abs(Y - 45) * S + 9 * (np.abs(X) > 1.6), X * S, 0, S, 0.45)
            stitch(H, np.abs(Y - 47) * S + 9 * (np.abs(X) > 1.6), X * S, 0, S, 0.45)
            H -= 0.5 * np.exp(-(((np.abs(X) - 1.85) / 0.12) ** 2)) * (Y > 44.4)
        C = base * (0.86 + 0.22 * np.clip(H, 0, 1))[..., None] * (1 + 0.06 * (cloud(N, 60, 6) - 0.5))[..., None]
        return npimage('c%d' % front, np.clip(C, 0, 1)), npimage('h%d' % front, np.clip(H, -0.6, 1.6), True)

    kw = dict(height=0.010, weave=500, weave_h=0.04, kind='plain', fuzz=0.05, sheen=0.4)
    c, h = maps(fn, 1)
    mf = fabric('f', colimg=c, heightimg=h, **kw)
    c, h = maps(bn, 0)
    mb = fabric('b', colimg=c, heightimg=h, **kw)
    g.build(T, mf, mb, 1, 0.012)
    sf = g.surf()
    ys = np.linspace(60.4, 44.7, 40)
    z3 = lambda p, h: tuple(sf.at(p[0] * S, p[1] * S, h)[0])
    rows = [
        [z3((x, y), h) for y in ys] for x, h in ((-1.75, 0.004), (-1.6, 0.016), (0, 0.019), (1.6, 0.016), (1.75, 0.004))
    ]
    loft(
        rows,
        60,
        3,
        mf,
        0.004,
        1,
        uvs=lambda V, uv: T.uv(np.c_[(-1.75 + 3.5 * uv[:, 1]) * S, (60.4 - 15.7 * uv[:, 0]) * S]),
    )
    pearl = mat('btn', button_color, 0.22, spec=0.5, coat=0.4)
    hole = mat('hole', '#4a4a42', 0.8)
    for y in (57.0, 51.8, 46.4 + 0.6):
        p, n = sf.at(0, y * S, 0.026)
        button(p, n, 0.6 * S, pearl, hole, 0.5)

    # collar: ribbed knit, with two tipping stripes
    def col(s):
        N_ = [
            (0.4, 60.6, 0.02),
            (3.8, 61.5, 0.02),
            (6.8, 64.8, 0.02),
            (7.8, 68.2, 0.01),
            (5.0, 67.9, -0.01),
            (0, 67.5, -0.02),
        ]
        M_ = [
            (0.4, 61.2, 0.05),
            (3.9, 62.4, 0.065),
            (6.7, 65.8, 0.075),
            (7.7, 69.4, 0.075),
            (4.9, 70.4, 0.06),
            (0, 70.3, 0.05),
        ]
        F_ = [
            (0.7, 61.6, 0.07),
            (4.2, 63.2, 0.10),
            (6.9, 66.6, 0.12),
            (7.8, 70.3, 0.125),
            (4.9, 71.8, 0.115),
            (0, 71.9, 0.11),
        ]
        G_ = [
            (2.6, 59.6, 0.085),
            (5.9, 61.9, 0.10),
            (8.6, 66.0, 0.115),
            (9.3, 70.4, 0.10),
            (5.7, 72.7, 0.065),
            (0, 72.9, 0.06),
        ]
        O_ = [
            (5.6, 55.4, 0.055),
            (8.8, 59.6, 0.055),
            (11.0, 65.2, 0.055),
            (10.6, 70.2, 0.045),
            (6.5, 72.6, 0.0),
            (0, 72.9, -0.01),
        ]
        f = lambda L: [(s * x * S, (y * 0.98 + 1.2) * S, z + 0.05) for x, y, z in L]
        return [f(L) for L in (N_, M_, F_, G_, O_)]

    R = 1024
    v2, u2 = np.mgrid[0:R, 0:R] / R
    rb = 0.5 + 0.5 * np.sin(2 * np.pi * u2 * 74)
    Cc = base * (0.86 + 0.2 * rb)[..., None]
    tip = rgb(tip) if tip else None
    for a, b in ((0.875, 0.905), (0.935, 0.965)) if tip is not None else ():
        m = ((v2 > a) & (v2 < b))[..., None]
        Cc = np.where(m, tip * (0.88 + 0.12 * rb)[..., None], Cc)
    mc = fabric(
        'col',
        colimg=npimage('cc', Cc),
        heightimg=npimage('ch', rb * 0.8, True),
        height=0.007,
        weave=300,
        weave_h=0.04,
        kind='plain',
        fuzz=0.04,
        sheen=0.4,
    )
    for s in (1, -1):
        loft(col(s), 60, 8, mc, 0.016, 1)
    woven_label((0, 70.0 * S, 0.125), 3.6, 1.7, 32, label)
    if view == 'collar':
        studio_flat(center=(0.1, 2.35), height=1.75, key=400, fill=0.26)
    else:
        studio_flat(center=(0, 1.4), height=4.3, key=340, fill=0.28)
    return dict(exposure=0.75, look='Medium High Contrast', cloth=True)
