"""A shirt, buttoned, laid flat: dress shirts and overshirts."""

from kit import *

NECK = (8.6, 70.5)
CUTS = {
    'dress': dict(
        cuff=((40.6, -9.4), (31.6, -11.6)),
        side=[(28.6, 14), (26.6, 36), (25.2, 44.4), (24.6, 42.6), (22.6, 27), (23.6, 4)],
        hem=[(20.4, -2.0), (13.2, -6.8), (0, -8.6)],
        shoulder=[(16, 68.6), (22.2, 66.0), (28.6, 59.8), (34.2, 43), (38.6, 16)],
        foot=-8.2,
        bend=0.2,
    ),
    'overshirt': dict(
        cuff=((41.4, -4.0), (31.0, -6.2)),
        side=[(29.2, 16), (27.9, 37), (27.2, 43.0), (26.6, 42), (25.6, 27), (25.8, 3)],
        hem=[(23.4, 0.4), (18, -1.0), (0, -1.4)],
        shoulder=[(16, 68.6), (23.0, 66.0), (29.8, 59.6), (35.6, 45), (39.8, 18)],
        foot=-1.2,
        bend=0.6,
    ),
}


def pattern_colors(kind, colors, u, v):
    """the cloth's own pattern at (u, v) in cm"""
    c = [rgb(h) for h in colors]
    if kind == 'stripe':  # even stripes, 6 mm each
        m = sm(0.235, 0.265, np.abs((u / 1.2) % 1 - 0.5))[..., None]
        return c[0] * (1 - m) + c[1] * m
    if kind == 'gingham':  # squares of 9 mm: full colour, half, none
        a = sm(0.235, 0.265, np.abs((u / 1.8) % 1 - 0.5))[..., None]
        b = sm(0.235, 0.265, np.abs((v / 1.8) % 1 - 0.5))[..., None]
        hatch = (0.5 + 0.5 * np.sign(np.sin(2 * np.pi * (u + v) / 0.16)))[..., None] * 0.0
        m = (a + b) / 2 + hatch
        return c[0] * (1 - m) + c[1] * m
    return np.broadcast_to(c[0], u.shape + (3,)).copy()


def scene(
    cut='dress',
    pattern='plain',
    colors=('#8fb2dc', '#f4f3f0'),
    cloth='poplin',
    button_color='#f4f1ea',
    button_hole='#6d7f9c',
    button_down=False,
    stitch_color=None,
    fade=None,
    label=('#1f2a44', '#efe9da'),
    snaps=False,
    view='whole',
):
    c = CUTS[cut]
    over = cut == 'overshirt'
    wo, wi = c['cuff']
    side_end = c['side'][-1]
    outer = spline([NECK + ('c',), *c['shoulder'], wo + ('c',)], 8)
    inner = spline([wi + ('c',), *c['side'][:-1], side_end + ('c',)], 8)
    hem = spline([side_end + ('c',), *c['hem']], 8)
    fn = spline([(0, 60), (3.6, 60.9), (7, 65), NECK + ('c',)], 6)
    bn = spline([(0, 68.4), (4.5, 68.8), NECK + ('c',)], 6)
    g = Garment([(outer, 'sew'), (np.array([wo, wi]), 'cuff'), (inner, 'sew'), (hem, 'hem')], fn, bn, step=0.05)
    arm = c['side'][2]

    def pose(V):
        x, y = V[:, 0] / S, V[:, 1] / S
        s = np.sign(x)
        ax = np.abs(x)
        w = sm(21, 29, ax) * sm(66, 50, y)
        ang = np.where(s > 0, -np.radians(2.5), -np.radians(1.0)) * w
        dx, dy = ax - 23, y - 62
        x2 = 23 + dx * np.cos(ang) - dy * np.sin(ang)
        y2 = 62 + dx * np.sin(ang) + dy * np.cos(ang)
        x2 = x2 * (1 - 0.045 * sm(60, 40, y) * sm(arm[0] + 0.4, arm[0] - 1.9, ax))
        y2 = y2 + sm(arm[0] - 0.8, arm[0] + 2.4, ax) * (62 - y) * 0.045  # shortened sleeves: folds across
        n1 = field(V, 1.1 if not over else 0.9, 3.3 if not over else 23.3) * 2.0
        n2 = field(V, 1.1 if not over else 0.9, 9.3 if not over else 19.3) * 2.0
        k = sm(60, 52, y)
        V[:, 0] = (s * x2 + n1 * k) * S
        V[:, 1] = (y2 * 0.985 + 1 + n2 * k) * S
        V[:, 2] += 0.03 * (1 + field(V, 2.6, 5)) * k
        return V

    def pin(V):
        x, y = np.abs(V[:, 0] / S), V[:, 1] / S
        w = np.zeros(len(V))
        w[(x < 10.5) & (y > 60)] = 1
        w[g.iss & (x > 20) & (y > 55) & (x < 24)] = 1
        for q in (wo, wi, side_end, c['side'][-2], c['hem'][-1], arm):
            w[np.hypot(x - q[0], y - q[1]) < 1.8] = 1
        for q in (20, 40):
            w[(x < 1.6) & (np.abs(y - q) < 1.5)] = 1
        w[
            (y < wo[1] + 5)
            & (x > 28)
            & (np.minimum(np.hypot(x - wo[0], y - wo[1]), np.hypot(x - wi[0], y - wi[1])) < 5)
        ] = 1
        return w

    g.sim('shirt-' + cut, pose, pin, frames=34, turb=4.0, bend=c['bend'], tension=18, selfd=0.014)

    # ---- maps
    N = map_size(3072)
    T = Tex((-1.85, -0.55), 3.7, N)
    X, Y = T.X / S, T.Y / S
    C = pattern_colors(pattern, colors, X, Y)
    holes = {}
    for s in (1, -1):
        a = spline([(22.6 * s, 65.9), (20.9 * s, 58), (21.2 * s, 51), (arm[0] * s, arm[1] - 0.4)], 12)
        holes[s] = a
        m = T.poly(
            np.r_[
                a,
                [
                    ((arm[0] + 0.3) * s, 42),
                    ((arm[0] + 0.9) * s, 6),
                    ((arm[0] + 1.2) * s, -16),
                    (60 * s, -16),
                    (60 * s, 80),
                    (22.6 * s, 80),
                ],
            ]
            * S
        )
        d = np.array([((wo[0] + wi[0]) / 2 - 24.5) * s, wo[1] - 61.0])
        d /= np.linalg.norm(d)
        u = (X - 24.5 * s) * d[1] - (Y - 60) * d[0]
        v = (X - 24.5 * s) * d[0] + (Y - 60) * d[1]
        if pattern != 'plain':
            C = np.where(m[..., None], pattern_colors(pattern, colors, u, v), C)
    value, rough = weave(cloth, X, Y)
    C = C * value[..., None]
    golden = rgb(stitch_color) if stitch_color else None
    faded = rgb(fade) if fade else None
    pocket = lambda s: [
        (5.6 * s, 53.2),
        (18.4 * s, 53.2),
        (18.4 * s, 40.2),
        (17.2 * s, 39.0),
        (6.8 * s, 39.0),
        (5.6 * s, 40.2),
    ]
    flap = lambda s: [(5.3 * s, 54.6), (18.7 * s, 54.6), (18.7 * s, 50.9), (12 * s, 48.8), (5.3 * s, 50.9)]

    def maps(nk, front):
        H = 0.5 + rough
        Cm = C.copy()

        def sewn(D, A, at, depth=0.4, where=None):
            nonlocal H, Cm
            q = np.zeros_like(H)
            stitch(q, D, A, at, S, depth)
            H = H + (q if where is None else q * where)
            if golden is not None:
                t = thread(Cm, D, A, at, golden, 0.36, 0.07)
                Cm = t if where is None else np.where(where[..., None], t, Cm)

        def worn(D, at, k=0.5):
            nonlocal Cm
            if faded is not None:
                m = (k * np.exp(-(((D / S - at) / 0.35) ** 2)))[..., None]
                Cm = Cm * (1 - m) + faded * m

        nk = np.r_[mir(nk)[::-1], nk[1:]] * S
        D, A = T.dist(nk, 3 * S)
        sewn(D, A, 0.5 * S, 0.3)
        h = np.r_[mir(g.R[3][0]), g.R[3][0][::-1][1:]]
        D, A = T.dist(h, 3 * S)
        worn(D, 0.5)
        sewn(D, A, 0.7 * S)
        H += 0.2 * sm(0.8 * S, 0.6 * S, D)
        for s in (1, -1):
            D, A = T.dist(np.array([(wo[0] * s, wo[1]), (wi[0] * s, wi[1])]) * S, 8 * S)
            inside_cuff = D < 6.2 * S
            H += 0.5 * sm(6.4 * S, 6.1 * S, D) * inside_cuff
            H -= 0.7 * np.exp(-(((D - 6.4 * S) / (0.12 * S)) ** 2))
            worn(D, 0.2)
            sewn(D, A, 5.7 * S)
            sewn(D, A, 0.5 * S)
            D, A = T.dist(holes[s] * S, 2 * S)
            H -= 0.8 * np.exp(-((D / (0.14 * S)) ** 2))
            worn(D, 0.5)
            sewn(D, A, 0.8 * S, 0.3)
            D, A = T.dist(np.array([(8.4 * s, 66.3), (22.2 * s, 62.3)]) * S, 2 * S)
            H -= 0.7 * np.exp(-((D / (0.13 * S)) ** 2))
            worn(D, 0.4)
            sewn(D, A, 0.5 * S, 0.3)
        if front:
            H += 0.7 * sm(0, 0.15 * S, (1.75 - X) * S) * (X > -1.9) * (X < 1.9)
            H -= 0.5 * np.exp(-(((X - 1.85) / 0.12) ** 2))
            for x in (1.2, -1.2):
                sewn(np.abs(X - x) * S, Y * S, 0)
            H -= 0.3 * np.exp(-(((X + 1.8) / 0.15) ** 2))
            if over:
                for s in (1, -1):
                    for shape in (pocket(s), flap(s)):
                        m = T.poly(np.array(shape) * S)
                        D, A = T.dist(np.array(shape + shape[:1]) * S, 2 * S)
                        worn(D, 0.15)
                        sewn(D, A, 0.35 * S, 0.45, m)
                        sewn(D, A, 0.95 * S, 0.45, m)
            else:  # one chest pocket
                pk = np.array([(6.5, 53), (6.5, 43.5), (11.5, 41.5), (16.5, 43.5), (16.5, 53), (6.5, 53)]) * S
                m = T.poly(pk)
                D, A = T.dist(pk, 2 * S)
                H += np.where(m, 0.45 * sm(0, 0.2 * S, D), -0.5 * np.exp(-((D / (0.2 * S)) ** 2)))
                sewn(D, A, 0.4 * S, 0.4, m)
                D, A = T.dist(np.array([(6.5, 50.6), (16.5, 50.6)]) * S, 1 * S)
                sewn(D, A, 0, 0.35, m)
        return npimage('c%d' % front, np.clip(Cm, 0, 1)), npimage('h%d' % front, np.clip(H, -1, 2), True)

    kw = dict(
        height=0.012,
        weave=520,
        weave_h=0.08,
        kind='plain',
        fuzz=0.025,
        sheen=0.3 if over else 0.15,
        rough=0.85 if over else 0.75,
    )
    ci, hi = maps(fn, 1)
    mf = fabric('front', colimg=ci, heightimg=hi, **kw)
    ci, hi = maps(bn, 0)
    mb = fabric('back', colimg=ci, heightimg=hi, **kw)
    g.build(T, mf, mb, 1, 0.014 if over else 0.01)
    sf = g.surf()
    if over:
        for s in (1, -1):
            patch(sf, T, pocket(s), mf, 0.011, 0.010, 0.03)
            patch(sf, T, flap(s), mf, lambda x, y: 0.020 + 0.010 * sm(54, 49, y), 0.010, 0.03)

    # the placket, a raised strip
    low = c['foot']
    ys = np.linspace(59.6, low, 90)
    z3 = lambda p, h: tuple(sf.at(p[0] * S, p[1] * S, h)[0])
    rows = [
        [z3((x, y), h) for y in ys] for x, h in ((-1.85, 0.006), (-1.7, 0.017), (0, 0.02), (1.7, 0.017), (1.85, 0.006))
    ]
    loft(
        rows,
        90,
        3,
        mf,
        0.004,
        1,
        uvs=lambda V, uv: T.uv(np.c_[(-1.85 + 3.7 * uv[:, 1]) * S, (59.6 - (59.6 - low) * uv[:, 0]) * S]),
    )
    mb_ = mat('button', '#b9bbbe', 0.25, metal=1) if snaps else mat('button', button_color, 0.25, spec=0.5, coat=0.4)
    mh = mat('hole', button_hole, 0.8)

    def place(x, y, h, r, turn=0):
        p, n = sf.at(x * S, y * S, h)
        if snaps:
            o = lathe(
                [
                    (0, 0.5 * r * S),
                    (0.45 * r * S, 0.5 * r * S),
                    (0.8 * r * S, 0.38 * r * S),
                    (r * S, 0.12 * r * S),
                    (r * S, 0),
                ],
                36,
                mb_,
            )
            o.rotation_mode = 'QUATERNION'
            o.rotation_quaternion = Vector(n).to_track_quat('Z', 'Y')
            o.location = p
        else:
            button(p, n, r * S, mb_, mh, turn)

    for i, y in enumerate(np.linspace(55.1, low + (8.0 if over else 15), 6)):
        place(0, y, 0.03, 0.75 if over else 0.62, 0.3 * i)
    for s in (1, -1):
        place(s * (wo[0] + wi[0]) / 2 * 1.02, wo[1] + 2.2, 0.022, 0.7 if over else 0.55)
        if over:
            place(s * 12, 50.0, 0.042, 0.7)

    # the collar: a loft from the seam over the fold to the outer edge
    def collar(s):
        N_ = [
            (0.3, 59.9, 0.02),
            (3.6, 60.9, 0.02),
            (7.0, 65, 0.02),
            (8.0, 68.9, 0.01),
            (5.2, 68.4, -0.01),
            (0, 68.0, -0.02),
        ]
        M_ = [
            (0.3, 60.6, 0.06),
            (3.7, 61.9, 0.075),
            (6.9, 66, 0.085),
            (7.9, 70.2, 0.085),
            (5.0, 71.2, 0.07),
            (0, 71.0, 0.06),
        ]
        F_ = [
            (0.5, 61.2, 0.085),
            (3.9, 62.9, 0.115),
            (7.1, 67, 0.135),
            (8.0, 71.2, 0.14),
            (5.0, 72.7, 0.13),
            (0, 72.8, 0.125),
        ]
        G_ = [
            (2.2, 58.6, 0.10),
            (5.4, 61.3, 0.12),
            (8.6, 66.1, 0.13),
            (9.2, 70.8, 0.115),
            (5.8, 73.6, 0.08),
            (0, 73.9, 0.08),
        ]
        tip = (5.0, 53.6, 0.06) if not button_down else (4.6, 52.6, 0.06)
        O_ = [tip, (8.0, 58.4, 0.065), (10.7, 65.2, 0.06), (10.4, 70.2, 0.05), (6.6, 73.4, 0.0), (0, 73.8, -0.01)]
        return [[(s * x * S, (y + 1) * S * 0.985, z + 0.05) for x, y, z in L] for L in (N_, M_, F_, G_, O_)]

    R = 1024
    v2, u2 = np.mgrid[0:R, 0:R] / R
    value, rough2 = weave(cloth, u2 * 34, v2 * 12)
    Cc = pattern_colors(pattern, colors, u2 * 34, v2 * 12.6) * value[..., None]
    Hc = 0.5 + rough2 * 0.7
    for D, A, at in (((1 - v2) * 12 * S, u2 * 34 * S, 0.55 * S), (u2 * 34 * S, v2 * 12 * S, 0.75 * S)):
        stitch(Hc, D, A, at, S, 0.45)
        if golden is not None:
            Cc = thread(Cc, D, A, at, golden, 0.36, 0.07)
    mc = fabric(
        'collar',
        colimg=npimage('cc', np.clip(Cc, 0, 1)),
        heightimg=npimage('ch', Hc, True),
        height=0.008,
        weave=300,
        weave_h=0.06,
        kind='plain',
        fuzz=0.025,
        sheen=0.2,
        rough=0.8,
    )
    for s in (1, -1):
        loft(collar(s), 60, 8, mc, 0.014, 1)
        if button_down:
            button((s * 5.35 * S, 54.9 * S, 0.128), (s * 0.1, -0.1, 1), 0.45 * S, mb_, mh)
    button((0, 61.0 * S * 0.985 + S, 0.155), (0, -0.2, 1), 0.55 * S, mb_, mh)
    woven_label((0, 71.05 * S, 0.128), 4.6, 1.8, 32, *label)
    if view == 'collar':
        studio_flat(center=(0.1, 2.42), height=1.75, key=400, fill=0.24)
    else:
        studio_flat(center=(0, 1.24 if not over else 1.32), height=4.7, key=400 if over else 340, fill=0.22)
    return dict(exposure=0.75, look='Medium High Contrast', cloth=True)
