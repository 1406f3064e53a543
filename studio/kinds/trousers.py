"""Trousers and chinos, laid flat."""

from kit import *


def scene(
    color='#c2a57c',
    cloth='twill',
    crease=0.22,
    button_color='#5b4632',
    loops=True,
    label=('#f1ece2', '#23262c'),
    view='whole',
):
    wst = (20.2, 100.3)
    ho = (28.5, 0)
    hi = (10.6, -0.6)
    outer = spline([wst + ('c',), (22.6, 92), (25.2, 80), (26.6, 60), (27.6, 30), ho + ('c',)], 10)
    inner = spline([hi + ('c',), (7.6, 30), (4.0, 55), (1.6, 67), (0, 70.5, 'c')], 10)
    fn = spline([(0, 98.2), (10, 98.9), wst + ('c',)], 8)
    bn = spline([(0, 101.2), (10, 101.1), wst + ('c',)], 8)
    g = Garment([(outer, 'sew'), (np.array([ho, hi]), 'hem'), (inner, 'sew')], fn, bn, step=0.05)

    def pose(V):
        x, y = V[:, 0] / S, V[:, 1] / S
        s = np.sign(x)
        ax = np.abs(x)
        k = sm(96, 85, y)
        n1 = field(V, 0.9, 3.3) * 1.3
        n2 = field(V, 0.9, 9.3) * 1.5
        lg = sm(72, 40, y)
        x2 = s * (ax - lg * 1.3) * (1 - 0.035 * k)
        V[:, 0] = (x2 + n1 * k) * S
        V[:, 1] = (50 + (y - 50) * 0.965 + n2 * k + 0.0) * S
        V[:, 2] += 0.035 * (1 + field(V, 2.4, 5)) * k
        return V

    def pin(V):
        x, y = np.abs(V[:, 0] / S), V[:, 1] / S
        w = np.zeros(len(V))
        w[y > 93.5] = 1
        for c in (ho, hi, (27.6, 30), (7.6, 30), (0, 70.5), (26.6, 60)):
            w[np.hypot(x - c[0], y - c[1]) < 2] = 1
        w[y < 2.2] = 1
        return w

    g.sim('trousers', pose, pin, frames=34, turb=5.0, bend=0.5, tension=20, selfd=0.014)
    N = map_size(2560)
    T = Tex((-2.1, -0.1), 4.2, N)
    X, Y = T.X / S, T.Y / S
    value, rough = weave(cloth, X, Y)
    base = rgb(color) * value[..., None]

    def maps(nk, front):
        H = 0.5 + rough
        nk = np.r_[mir(nk)[::-1], nk[1:]] * S
        D, A = T.dist(nk, 6 * S)
        H += 0.5 * sm(4.0 * S, 3.8 * S, D)
        H -= 0.7 * np.exp(-(((D - 4.1 * S) / (0.14 * S)) ** 2))
        stitch(H, D, A, 3.5 * S, S, 0.35)
        stitch(H, D, A, 0.5 * S, S, 0.35)
        if front:
            D, A = T.dist(np.array([(0, 94.6), (0, 71)]) * S, 2 * S)
            H -= 0.8 * np.exp(-((D / (0.15 * S)) ** 2))
            fly = spline([(4.2, 94.4), (4.2, 84), (3.2, 79.5), (0, 77)], 8) * S
            D, A = T.dist(fly, 2 * S)
            stitch(H, D, A, 0, S, 0.5)
            stitch(H, D, A, 0.5 * S, S, 0.4)
            for s in (1, -1):
                pk = spline([(15.5 * s, 94.6), (20.5 * s, 85), (24.2 * s, 79)], 8) * S
                D, A = T.dist(pk, 2 * S)
                H -= 1.3 * np.exp(-((D / (0.22 * S)) ** 2))
                stitch(H, D, A, 0.6 * S, S, 0.4)
                stitch(H, D, A, 1.1 * S, S, 0.4)
                cr = spline([(12 * s, 93), (13.5 * s, 70), (17 * s, 35), (19.3 * s, 0)], 8) * S
                D, A = T.dist(cr, 2 * S)
                H += crease * np.exp(-((D / ((0.7 if crease < 0.5 else 0.35) * S)) ** 2))
        for s in (1, -1):
            D, A = T.dist(np.array([(ho[0] * s, ho[1]), (hi[0] * s, hi[1])]) * S, 6 * S)
            stitch(H, D, A, 3.2 * S, S, 0.5)
        C = base * (0.80 + 0.40 * np.clip(H, 0, 0.5))[..., None]
        return npimage('c%d' % front, np.clip(C, 0, 1)), npimage('h%d' % front, np.clip(H, -1, 2), True)

    kw = dict(height=0.012, weave=520, weave_h=0.06, kind='twill', fuzz=0.03, sheen=0.25)
    c, h = maps(fn, 1)
    mf = fabric('f', colimg=c, heightimg=h, **kw)
    c, h = maps(bn, 0)
    mb = fabric('b', colimg=c, heightimg=h, **kw)
    g.build(T, mf, mb, 1, 0.012)
    sf = g.surf()
    for x in (-15.2, -7.2, 7.2, 15.2):
        yy = np.linspace(94.2, 99.6 + 0.0, 10)
        rows = []
        for dx, h in ((-0.62, 0.004), (-0.5, 0.022), (0, 0.03), (0.5, 0.022), (0.62, 0.004)):
            rows.append(
                [tuple(sf.at((x + dx) * S, y * S, h + 0.02 * np.sin(np.pi * i / 9))[0]) for i, y in enumerate(yy)]
            )
        loft(rows, 20, 3, mf, 0.004, 1, uvs=lambda V, uv: T.uv(np.c_[(x + uv[:, 1]) * S, (80 + uv[:, 0] * 5) * S]))
    woven_label((0, 97.95 * S, 0.045), 4.2, 1.8, -6, *label)
    if button_color:
        p, n = sf.at(0, 96.4 * S, 0.02)
        button(p, n, 0.85 * S, mat('b', button_color, 0.3, coat=0.3), mat('h', shade(button_color, 0.5), 0.8))
    if view == 'waist':
        studio_flat(center=(0.25, 3.55), height=1.8, key=420, fill=0.24)
    else:
        studio_flat(center=(0, 2.0), height=4.9, key=420, fill=0.24)
    return dict(exposure=0.7, look='Medium High Contrast', cloth=True)
