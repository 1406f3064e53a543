"""A two-button blazer, laid flat."""

from kit import *


def scene(
    color='#1b2235',
    cloth='hopsack',
    lining='#4e2029',
    pockets='flap',
    square=None,
    button_color='#1d1a1a',
    metal_buttons=False,
    label='#e9e1d0',
    view='whole',
):
    neck = (8.4, 72.2)
    wo = (40.8, 3.0)
    wi = (29.6, 0.6)
    outer = spline([neck + ('c',), (15, 70.2), (22.6, 67.6), (28.2, 62.6), (33.6, 49), (37.8, 26), wo + ('c',)], 8)
    inner = spline(
        [wi + ('c',), (28.2, 22), (27.4, 38), (26.8, 44.6), (26.0, 44.0), (23.6, 33), (25.4, 12), (26.2, 1, 'c')], 8
    )
    top = (0, 34.5)
    bot = (0, 22)
    fhem = spline([(26.2, 1, 'c'), (16, -0.6), (11, -0.6), (7.2, 1.2), (4.2, 6), (1.7, 14), bot + ('c',)], 8)
    bhem = spline([(26.2, 1, 'c'), (13, 0), (0, -0.2)], 8)
    fn = spline([top + ('c',), (3.4, 44), (6.4, 56), (7.9, 66), neck + ('c',)], 8)
    bn = spline([(0, 70.4), (4.5, 70.8), neck + ('c',)], 6)
    g = Garment(
        [(outer, 'sew'), (np.array([wo, wi]), 'cuff'), (inner, 'sew'), (fhem, 'hem')], fn, bn, step=0.05, bhem=bhem
    )

    def pose(V):
        x, y = V[:, 0] / S, V[:, 1] / S
        s = np.sign(x)
        ax = np.abs(x)
        slv = sm(25.5, 28.5, ax) * sm(66, 56, y)
        y2 = y + slv * (62 - y) * 0.03
        n1 = field(V, 0.8, 3.3) * 1.0
        n2 = field(V, 0.8, 9.3) * 1.0
        k = sm(62, 52, y) * sm(3, 9, ax)
        V[:, 0] = (x * (1 - 0.012 * sm(60, 40, y)) + n1 * k) * S
        V[:, 1] = (y2 * 0.99 + 0.6 + n2 * k) * S
        V[:, 2] += 0.05 * (1 + field(V, 1.6, 5)) * sm(64, 52, y)
        return V

    def pin(V):
        x, y = np.abs(V[:, 0] / S), V[:, 1] / S
        w = np.zeros(len(V))
        w[(x < 10.5) & (y > 60)] = 1
        w[(x < 13) & (y > 62)] = 1
        w[g.iss & (x > 19) & (y > 58) & (x < 24)] = 1
        for c in (wo, wi, (26.2, 1), (23.6, 33), (26.8, 44.6), top, bot):
            w[np.hypot(x - c[0], y - c[1]) < 2] = 1
        w[(x < 2.2) & (y > 20) & (y < 37)] = 1
        w[(x < 12) & (y < 2) & (x > 7)] = 1
        w[(x < 2) & (y < 3)] = 1
        return w

    g.sim('blazer', pose, pin, frames=32, turb=3.0, bend=1.2, tension=22, selfd=0.016)
    N = map_size(3072)
    T = Tex((-1.85, -0.15), 3.7, N)
    X, Y = T.X / S, T.Y / S
    value, rough = weave(cloth, X, Y)
    base = rgb(color) * value[..., None]
    ah = [spline([(22.8 * s, 67.3), (20.9 * s, 60), (21.3 * s, 52), (26.6 * s, 44.6)], 12) for s in (1, -1)]

    def maps(front):
        H = 0.5 + rough
        for a in ah:
            D, A = T.dist(a * S, 2 * S)
            H -= 0.9 * np.exp(-((D / (0.16 * S)) ** 2))
            H += 0.35 * sm(1.2 * S, 0.1 * S, D) * (np.abs(X) > np.abs(np.interp(Y, a[::-1, 1], a[::-1, 0])))
        for s in (1, -1):
            if front:
                d = spline([(11.8 * s, 46), (12.1 * s, 36), (13.6 * s, 24.5)], 8) * S
                D, A = T.dist(d, 2 * S)
                H -= 0.55 * np.exp(-((D / (0.13 * S)) ** 2))
                d = spline([(22.6 * s, 44), (20.6 * s, 34), (21.6 * s, 14), (22.2 * s, 0)], 8) * S
                D, A = T.dist(d, 2 * S)
                H -= 0.55 * np.exp(-((D / (0.13 * S)) ** 2))
            if s > 0 and front:
                D, A = T.dist(np.array([(10.6, 57.2), (12.7, 56.6)]) * S, 1 * S)
                H -= 1.2 * np.exp(-((D / (0.07 * S)) ** 2))
                H += 0.6 * np.exp(-(((D - 0.16 * S) / (0.08 * S)) ** 2))
            D, A = T.dist(np.array([(36.4 * s, 12.5), (37.9 * s, 2.4)]) * S, 2 * S)
            H -= 0.6 * np.exp(-((D / (0.14 * S)) ** 2))
        C = base * (0.80 + 0.40 * np.clip(H, 0, 0.5))[..., None]
        return npimage('c%d' % front, np.clip(C, 0, 1)), npimage('h%d' % front, np.clip(H, -1, 2), True)

    kw = dict(height=0.012, weave=520, weave_h=0.06, kind='plain', fuzz=0.04, sheen=0.35, rough=0.8)
    c, h = maps(1)
    mf = fabric('f', colimg=c, heightimg=h, **kw)
    lin = fabric('lining', color=lining, weave=700, weave_h=0.03, kind='twill', fuzz=0.02, sheen=0.1, rough=0.42)
    lin.node_tree.nodes['Principled BSDF'].inputs['Specular'].default_value = 0.5
    # outside cloth on the sleeves and rims of the back, lining where one looks in
    o = g.build(T, mf, mf, 1, 0.016)
    o.data.materials.append(lin)
    for p in list(o.data.polygons)[g.nff :]:
        c = np.mean([g.flat[v] for v in p.vertices], 0) / S
        if abs(c[0]) < 10 and (c[1] > 20):
            p.material_index = 2
        if abs(c[0]) < 14 and c[1] < 24:
            p.material_index = 2
    sf = g.surf()
    vx = lambda y: np.interp(y, fn[:, 1], fn[:, 0])
    # the closed front: the wearer's left over the right (seen: right over left)
    edge = spline(
        [(-1.9, 36.8, 'c'), (-2.0, 31), (-1.9, 24), (-0.9, 17.5), (1.0, 11), (3.9, 5.0), (7.2, 1.0), (11, -0.5, 'c')], 8
    )
    ed = [tuple(p) for p in edge]
    ov = (
        ed
        + [(12.5, 0.2)]
        + [tuple(p) for p in spline([(9.6, 2.6), (6.6, 7), (4.2, 14), (4.4, 24), (4.9, 32), (5.3, 36.6)], 6)]
        + [(2.0, 36.9)]
    )
    patch(sf, T, ov, mf, lambda x, y: -0.008 + 0.024 * sm(5.0, 1.5, x - max(0, 9 - y) * 0.75), 0.012, 0.03)

    def flap(s, y0):
        P = [(9.8 * s, y0 + 0.35), (22.6 * s, y0 + 1.5)] + [
            tuple(p)
            for p in spline(
                [
                    (22.9 * s, y0 - 3.2),
                    (22.4 * s, y0 - 4.1),
                    (21.4 * s, y0 - 4.3),
                    (11 * s, y0 - 5.2),
                    (10.2 * s, y0 - 5.0),
                    (9.7 * s, y0 - 4.2),
                ],
                4,
            )
        ]
        patch(sf, T, P, mf, lambda x, y: 0.013 + 0.012 * sm(y0 + 0.5, y0 - 4.5, y), 0.012, 0.03)
        W = [(9.6 * s, y0 + 0.3), (22.8 * s, y0 + 1.45), (22.8 * s, y0 + 2.05), (9.6 * s, y0 + 0.9)]
        patch(sf, T, W, mf, 0.012, 0.012, 0.025)

    def patch_pocket(s):
        P = [(9.9 * s, 25.0), (22.4 * s, 26.0)] + [
            tuple(q)
            for q in spline(
                [
                    (22.8 * s, 12.5),
                    (22.2 * s, 9.6),
                    (20.2 * s, 8.2),
                    (12.4 * s, 7.6),
                    (10.6 * s, 8.8),
                    (10.0 * s, 11.5),
                ],
                4,
            )
        ]
        patch(sf, T, P, mf, 0.013, 0.014, 0.03)
        for d in (0.5,):
            thread_line(P, d)

    def thread_line(P, d):
        Q = np.array(P + P[:1])
        c = Q[:-1].mean(0)
        Q = c + (Q - c) * (1 - d / 7)
        cord(
            [tuple(sf.at(x * S, y * S, 0.0215)[0]) for x, y in resample(Q * S, 0.03) / S],
            0.0035,
            mat('topstitch', shade(color, 0.72), 0.9),
        )

    for s in (1, -1):
        flap(s, 23.2) if pockets == 'flap' else patch_pocket(s)
    # breast pocket with a folded handkerchief
    if square:
        sq = mat('sq', square, 0.7, sheen=0.2)
        patch(
            sf,
            T,
            [
                (11.4, 53.2),
                (20.4, 55.4),
                (20.0, 57.6),
                (18.6, 57.0),
                (17.3, 59.4),
                (15.4, 56.6),
                (13.6, 58.2),
                (11.9, 55.6),
            ],
            sq,
            lambda x, y: 0.012 + 0.006 * np.sin(x * 2.1),
            0.01,
            0.025,
        )
    patch(sf, T, [(10.9, 51.4), (20.9, 53.8), (21.0, 56.3), (10.8, 53.9)], mf, 0.024, 0.014, 0.025)

    # lapels
    def lapel(s):
        tip = (16.2, 58.6)
        P = [(0.2 if s > 0 else 0.0, 35.2)]
        P += [tuple(p) for p in fn if 36 < p[1] < 68.4]
        P += [(9.4, 66.6), (10.2, 61.6), tip]
        P += [tuple(p) for p in spline([(15.9, 57.4), (12.6, 49.5), (8.0, 42.2), (3.6, 37.4)], 8)] + [(1.2, 35.6)]
        P = [(x * s, y) for x, y in P]

        def h(x, y):
            d = abs(x) - vx(y)
            return (
                0.020
                + 0.034 * np.exp(-(max(d, 0) / 2.6)) * sm(34, 46, y)
                + 0.012 * sm(34, 38, y)
                + 0.010 * sm(58, 62, y)
            )

        return patch(sf, T, P, mf, h, 0.014, 0.035)

    for s in (-1, 1):
        lapel(s)

    # collar: its outer edge ends at the notch
    def collar(s):
        N_ = [
            (10.3, 61.9, 0.055),
            (8.0, 66.0, 0.055),
            (7.9, 70.0, 0.03),
            (7.0, 72.0, 0.0),
            (4.4, 71.2, -0.02),
            (0, 70.9, -0.03),
        ]
        M_ = [
            (10.5, 62.0, 0.062),
            (8.1, 66.6, 0.075),
            (8.0, 70.8, 0.08),
            (7.2, 73.4, 0.07),
            (4.4, 73.6, 0.055),
            (0, 73.6, 0.045),
        ]
        F_ = [
            (11.2, 62.4, 0.066),
            (8.7, 67.0, 0.085),
            (8.5, 71.0, 0.115),
            (7.8, 74.2, 0.12),
            (4.7, 75.3, 0.115),
            (0, 75.5, 0.105),
        ]
        G_ = [
            (12.8, 63.2, 0.066),
            (10.6, 67.6, 0.085),
            (10.4, 71.4, 0.10),
            (9.0, 75.0, 0.095),
            (5.2, 76.4, 0.075),
            (0, 76.6, 0.065),
        ]
        O_ = [
            (14.6, 64.0, 0.055),
            (12.6, 68.4, 0.055),
            (11.9, 71.6, 0.05),
            (9.6, 75.2, 0.04),
            (5.4, 76.5, 0.0),
            (0, 76.6, -0.01),
        ]
        f = lambda L: [(s * x * S, (y * 0.99 + 0.6) * S, z + 0.05) for x, y, z in L]
        return [f(L) for L in (N_, M_, F_, G_, O_)]

    R = 1024
    vv, uu = np.mgrid[0:R, 0:R] / R
    val, rg = weave(cloth, uu * 34, vv * 14)
    mc = fabric(
        'col',
        colimg=npimage('cc', np.clip(rgb(color) * (val * 0.97)[..., None], 0, 1)),
        heightimg=npimage('ch', 0.5 + rg, True),
        height=0.010,
        weave=330,
        weave_h=0.06,
        kind='plain',
        fuzz=0.04,
        sheen=0.35,
        rough=0.8,
    )
    for s in (1, -1):
        loft(collar(s), 60, 8, mc, 0.016, 1)
    horn = (
        mat('horn', button_color, 0.38, metal=1)
        if metal_buttons
        else mat('horn', button_color, 0.32, spec=0.5, coat=0.3)
    )
    hole = mat('hole', shade(button_color, 0.4), 0.8)
    for y in (34.2, 23.6):
        p, n = sf.at(0.6 * S, y * S, 0.034)
        button(p, n, 1.0 * S, horn, hole, 0.4)
    for s in (1, -1):
        for i in range(4):
            y = 3.8 + i * 2.0
            p, n = sf.at(s * (37.2 - 0.15 * i) * S, y * S, 0.016)
            button(p, n, 0.62 * S, horn, hole, 0.2 * i)
    lower = spline([(-8.2, 69.2), (-4, 68.0), (0, 67.6), (4, 68.0), (8.2, 69.2)], 10)
    upper = spline([(8.0, 72.6), (4, 73.9), (0, 74.4), (-4, 73.9), (-8.0, 72.6)], 10)
    v, f = trimesh(resample(np.r_[lower, upper, lower[:1]] * S, 0.03)[:-1], 0.03)
    o = newobj('stand', np.c_[v, 0.082 + 0.02 * sm(68 * S, 73 * S, v[:, 1])], f, None, mc)
    finish(o, 1, 0.008)
    woven_label((0, 65.0 * S, 0.046), 4.6, 2.4, -3, label)
    if view == 'lapel':
        studio_flat(center=(0.35, 2.1), height=1.75, key=500, fill=0.28)
    elif view == 'neck':
        studio_flat(center=(0, 2.55), height=1.9, key=500, fill=0.3)
    elif view == 'pocket':
        studio_flat(center=(0.62, 1.0), height=1.75, key=480, fill=0.28)
    else:
        studio_flat(center=(0, 1.46), height=4.7, key=480, fill=0.28)
    return dict(exposure=0.8, look='Medium High Contrast', cloth=True)
