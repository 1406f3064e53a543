"""Elastic-waisted bottoms laid flat: joggers and running shorts."""

from kit import *

CUTS = {
    'joggers': dict(
        name='joggers',
        waist=(19.4, 100.3),
        outer=[(22.4, 92), (24.8, 80), (25.0, 60), (23.0, 32), (20.4, 8)],
        ho=(19.2, 0),
        hi=(9.4, -0.4),
        inner=[(9.6, 8), (7.4, 32), (4.2, 55), (1.6, 67)],
        view=((0, 2.0), 4.9),
    ),
    'shorts': dict(
        name='shorts',
        waist=(20.2, 100.3),
        outer=[(22.8, 92), (25.8, 80), (28.4, 66)],
        ho=(30.2, 53.4),
        hi=(2.6, 50.4),
        inner=[(2.3, 55), (1.3, 64)],
        view=((0, 3.04), 3.75),
    ),
    'short shorts': dict(
        name='shorts',
        waist=(20.2, 100.3),
        outer=[(22.8, 92), (26.2, 80), (29.0, 68)],
        ho=(30.6, 60.4),
        hi=(3.0, 56.4),
        inner=[(2.7, 59), (1.5, 65)],
        view=((0, 3.16), 3.9),
    ),
}


def scene(
    cut='joggers',
    color='#94979c',
    cloth='marl',
    cord_color='#e9e6df',
    elastic_cuff=False,
    zips=None,
    wordmark=None,
    band=4.2,
    view='whole',
):
    c = CUTS[cut]
    long = cut == 'joggers'
    wst, ho, hi = c['waist'], c['ho'], c['hi']
    outer = spline([wst + ('c',), *c['outer'], ho + ('c',)], 10)
    inner = spline([hi + ('c',), *c['inner'], (0, 70.5, 'c')], 10)
    fn = spline([(0, 98.2), (10, 98.9), wst + ('c',)], 8)
    bn = spline([(0, 101.2), (10, 101.1), wst + ('c',)], 8)
    g = Garment([(outer, 'sew'), (np.array([ho, hi]), 'hem'), (inner, 'sew')], fn, bn, step=0.05 if long else 0.042)

    def pose(V):
        x, y = V[:, 0] / S, V[:, 1] / S
        s = np.sign(x)
        ax = np.abs(x)
        k = sm(96, 85, y)
        n1 = field(V, 1.0, 3.3) * 1.6
        n2 = field(V, 1.0, 9.3) * 1.7
        mid, short = (50, 0.962) if long else (76, 0.965)
        V[:, 0] = (s * ax * (1 - 0.03 * k) + n1 * k) * S
        V[:, 1] = (mid + (y - mid) * short + n2 * k) * S
        V[:, 2] += 0.035 * (1 + field(V, 2.4, 5)) * k
        return V

    def pin(V):
        x, y = np.abs(V[:, 0] / S), V[:, 1] / S
        w = np.zeros(len(V))
        w[y > 93.5] = 1
        for q in (ho, hi, (0, 70.5), (28.4, 66) if not long else (25, 60), (7.4, 32)):
            w[np.hypot(x - q[0], y - q[1]) < 2] = 1
        if long:
            w[y < 2.2] = 1
        else:
            w[(y < min(ho[1], hi[1]) + 4.6) & (np.abs(x - 16) < 2)] = 1
        return w

    g.sim(c['name'], pose, pin, frames=34, turb=5.0, bend=0.5, tension=20, selfd=0.014)

    N = map_size(3072)
    T = Tex((-2.1, -0.1), 4.2, N) if long else Tex((-1.4, 1.85), 2.7, N)
    X, Y = T.X / S, T.Y / S
    value, rough = weave(cloth, X, Y)
    base = rgb(color) * value[..., None]
    pull = cloud(N, max(4, N // 60), 4) - 0.5
    pocket = lambda s: spline([(17.2 * s, 93.4), (21.0 * s, 85), (24.0 * s, 77)], 8)

    def maps(nk, front):
        H = 0.5 + rough
        C = base.copy()
        nk = np.r_[mir(nk)[::-1], nk[1:]] * S
        D, A = T.dist(nk, 8 * S)
        inband = D < band * S
        gathers = 0.5 + 0.5 * np.sin(2 * np.pi * (A / (0.62 * S) + 1.4 * pull))
        H = np.where(inband, 0.35 + 0.55 * gathers * sm(0, 0.5 * S, D) * sm(band * S, (band - 0.4) * S, D), H)
        H += np.where(
            (D >= band * S) & (D < (band + 4) * S), 0.22 * (gathers - 0.5) * sm((band + 4) * S, band * S, D), 0
        )
        H -= 0.8 * np.exp(-(((D - band * S) / (0.14 * S)) ** 2))
        for at in (1.4, 2.8):
            q = np.zeros_like(H)
            stitch(q, D, A, at * S, S, 0.35)
            H += q * 0.7
        if front:
            D, A = T.dist(np.array([(0, 94.2), (0, 71)]) * S, 2 * S)
            H -= 0.7 * np.exp(-((D / (0.14 * S)) ** 2))
            stitch(H, D, A, 0.4 * S, S, 0.3)
            for s in (1, -1):
                D, A = T.dist(pocket(s) * S, 2 * S)
                H -= 1.2 * np.exp(-((D / (0.2 * S)) ** 2))
                stitch(H, D, A, 0.7 * S, S, 0.4)
                if zips:
                    t = np.sign(np.sin(2 * np.pi * A / (0.30 * S)))
                    C = np.where((D < 0.34 * S)[..., None], rgb(zips) * (1 + 0.25 * t)[..., None], C)
                    H = np.where(D < 0.34 * S, 0.55 + 0.25 * t, H)
                    H -= 0.5 * np.exp(-(((D - 0.42 * S) / (0.10 * S)) ** 2))
        for s in (1, -1):
            D, A = T.dist(np.array([(ho[0] * s, ho[1]), (hi[0] * s, hi[1])]) * S, 9 * S)
            if long:
                w = 2.6 if elastic_cuff else 6.2
                r = 0.5 + 0.5 * np.sin(2 * np.pi * A / ((0.42 if elastic_cuff else 0.55) * S))
                near = (D < w * S) & (Y < 12)
                H = np.where(near, 0.25 + 0.55 * r * sm(0, 0.4 * S, D), H)
                H -= 0.8 * np.exp(-(((D - w * S) / (0.16 * S)) ** 2)) * (Y < 12)
                H += np.where(
                    (D >= w * S) & (D < (w + 4) * S) & (Y < 16), 0.25 * (r - 0.5) * sm((w + 4) * S, w * S, D), 0
                )
            else:
                stitch(H, D, A, 1.9 * S, S, 0.5)
                H += 0.2 * sm(2.0 * S, 1.8 * S, D)
                vent = np.array([(ho[0] * s, ho[1]), ((ho[0] - 0.55) * s, ho[1] + 5.2)])
                D, A = T.dist(vent * S, 2 * S)
                H -= 0.7 * np.exp(-(((D - 0.5 * S) / (0.16 * S)) ** 2))
                stitch(H, D, A, 1.0 * S, S, 0.4)
        C = C * (0.80 + 0.40 * np.clip(H, 0, 0.5))[..., None]
        return npimage('c%d' % front, np.clip(C, 0, 1)), npimage('h%d' % front, np.clip(H, -1, 2), True)

    sheen = 0.45 if cloth == 'marl' else 0.2
    kw = dict(
        height=0.012,
        weave=480,
        weave_h=0.05,
        kind='plain',
        fuzz=0.03,
        sheen=sheen,
        rough=0.88 if cloth == 'marl' else 0.74,
    )
    ci, hi_ = maps(fn, 1)
    mf = fabric('front', colimg=ci, heightimg=hi_, **kw)
    ci, hi_ = maps(bn, 0)
    mb = fabric('back', colimg=ci, heightimg=hi_, **kw)
    g.build(T, mf, mb, 1, 0.014)
    sf = g.surf()
    # the cord: two ends from two eyelets, a loose loop between
    lace = fabric('cord', color=cord_color, weave=160, weave_h=0.4, kind='plain', fuzz=0.03)
    at = lambda x, y, h: tuple(sf.at(x * S, y * S, h)[0])
    ring = mat('eyelet', shade(color, 0.5), 0.5)
    for s, pts in (
        (1, [(1.9, 96.1), (2.3, 94.6), (2.6, 91.5), (3.5, 88.0), (3.1, 84.5), (3.6, 81.8)]),
        (-1, [(-1.9, 96.1), (-2.2, 94.7), (-3.0, 91.8), (-3.3, 88.4), (-2.5, 85.4), (-2.9, 83.0)]),
    ):
        P = [at(x, y, 0.012 if i == 0 else 0.032) for i, (x, y) in enumerate(pts)]
        cord(P, 0.0135, lace)
        a, b = np.array(P[-2]), np.array(P[-1])
        d = (b - a) / np.linalg.norm(b - a)
        cord([tuple(b - d * 0.005), tuple(b + d * 0.02), tuple(b + d * 0.035)], 0.018, lace)
        e = lathe([(0.016, 0.004), (0.026, 0.012), (0.034, 0.006), (0.036, -0.004)], 30, ring)
        p, n = sf.at(1.9 * s * S, 96.1 * S, 0.012)
        e.rotation_mode = 'QUATERNION'
        e.rotation_quaternion = Vector(n).to_track_quat('Z', 'Y')
        e.location = p
    if zips:
        m = mat('slider', '#1a1a1a', 0.3, metal=0.6)
        for s in (1, -1):
            p = at(17.7 * s, 92.4, 0.03)
            rbox(0.045, 0.075, 0.02, 0.008, m, p, 2, (0, 0, 0.45 * s))
    if wordmark:
        print_on(
            sf,
            'HABERDASH',
            1.25,
            mat('wordmark', wordmark, 0.35, metal=0.5),
            19.5 if long else 20.0,
            62 if long else ho[1] + 3.6,
            0,
            0.014,
        )
    middle, short = (50, 0.962) if long else (76, 0.965)
    woven_label((0, (middle + (99.75 - middle) * short) * S, 0.05), 4.0, 1.6, -6)
    if view == 'cuff':
        studio_flat(center=(0.55, 0.62), height=1.8, key=420, fill=0.26)
    elif view == 'pocket':
        studio_flat(center=(0.45, 3.45), height=1.8, key=420, fill=0.26)
    else:
        studio_flat(center=c['view'][0], height=c['view'][1], key=400, fill=0.26)
    return dict(exposure=0.75, look='Medium High Contrast', cloth=True)
