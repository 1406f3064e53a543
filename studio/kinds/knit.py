"""An Aran sweater, laid flat: every stitch is a formula."""

from kit import *


def scene(color='#f6e6c8', label=('#23324a', '#efe6d2'), view='whole'):
    neck = (9.2, 69)
    wo = (39.4, 2.2)
    wi = (29.2, 0.2)
    outer = spline(
        [neck + ('c',), (15, 67.6), (21.5, 65.4), (28.4, 59.4), (34.2, 46), (38, 22), (39.9, 9), wo + ('c',)], 8
    )
    inner = spline(
        [
            wi + ('c',),
            (28.2, 8),
            (28.4, 20),
            (27.6, 36),
            (27.0, 43.4),
            (26.2, 42.6),
            (25.2, 30),
            (25.6, 9),
            (24.2, 1, 'c'),
        ],
        8,
    )
    hem = spline([(24.2, 1, 'c'), (12, 0.2), (0, 0)], 8)
    fn = spline([(0, 61), (4.4, 61.8), (7.6, 64.6), neck + ('c',)], 6)
    bn = spline([(0, 67.2), (5, 67.6), neck + ('c',)], 6)
    g = Garment([(outer, 'sew'), (np.array([wo, wi]), 'cuff'), (inner, 'sew'), (hem, 'hem')], fn, bn, step=0.05)

    def pose(V):
        x, y = V[:, 0] / S, V[:, 1] / S
        s = np.sign(x)
        ax = np.abs(x)
        w = sm(21, 29, ax) * sm(66, 50, y)
        ang = -np.radians(1.2) * w
        px, py = 22, 62
        dx, dy = ax - px, y - py
        ax2 = px + dx * np.cos(ang) - dy * np.sin(ang)
        y2 = py + dx * np.sin(ang) + dy * np.cos(ang)
        body = sm(27.6, 25, ax)
        ax2 = ax2 * (1 - 0.035 * sm(60, 40, y) * body)
        slv = sm(26, 29, ax)
        y2 = y2 + slv * (62 - y) * 0.045
        n1 = field(V, 0.9, 5.3) * 1.7
        n2 = field(V, 0.9, 8.3) * 1.7
        k = sm(60, 50, y)
        V[:, 0] = (s * ax2 + n1 * k) * S
        V[:, 1] = (y2 * 0.985 + 1 + n2 * k) * S
        V[:, 2] += 0.05 * (1 + field(V, 2.0, 5)) * k
        return V

    def pin(V):
        x, y = np.abs(V[:, 0] / S), V[:, 1] / S
        w = np.zeros(len(V))
        w[(x < 10.5) & (y > 60)] = 1
        w[g.iss & (x > 19) & (y > 56) & (x < 23)] = 1
        for c in (wo, wi, (24.2, 1), (25.2, 30), (27, 43.4)):
            w[np.hypot(x - c[0], y - c[1]) < 1.8] = 1
        w[(x < 1.6) & (y < 2)] = 1
        w[(x < 1.6) & (np.abs(y - 34) < 1.5)] = 1
        return w

    g.sim('knit', pose, pin, frames=34, turb=4.0, bend=0.8, tension=14, selfd=0.016)
    N = map_size(3072)
    T = Tex((-1.75, -0.15), 3.5, N)
    X, Y = (T.X / S).astype(np.float32), (T.Y / S).astype(np.float32)

    def jersey(u, v, p=0.62, q=0.46):
        """stocking stitch: columns of Vs. u,v in cm"""
        a = (u / p) % 1
        t = np.abs(a - 0.5) * 2
        l = np.sin(np.pi * ((a * 2) % 1))
        r = np.abs(np.cos(np.pi * (v / q - 0.75 * t)))
        return l**0.6 * (0.35 + 0.65 * r**0.7)

    def moss(u, v):
        return np.abs(np.sin(np.pi * u / 0.75) * np.sin(np.pi * v / 0.6)) * 0.5 + 0.5 * np.abs(
            np.sin(np.pi * (u / 0.75 + 0.5)) * np.sin(np.pi * (v / 0.6 + 0.5))
        )

    def rib(u, v, p=1.0):
        b = np.cos(2 * np.pi * u / p)
        return sm(-0.5, 0.6, b) * (0.72 + 0.28 * jersey(u, v, p * 0.5, 0.46))

    def rope(x, y, xc, w, L, ph=0, n=2):
        """cable of two strands about xc; returns height and mask"""
        best = np.full_like(x, -1)
        A = w * 0.27
        for k in range(n):
            th = 2 * np.pi * (y / L + ph + k / n)
            c = xc + A * np.sin(th)
            z = 0.5 * np.cos(th)
            d = (x - c) / (w * 0.30)
            body = np.sqrt(np.clip(1 - d * d, 0, 1))
            hh = np.where(np.abs(d) < 1, 0.45 + 0.5 * body + 0.35 * z, -1)
            st = jersey(x - c + 0.31, y)
            hh = np.where(np.abs(d) < 1, hh + 0.22 * (st - 0.5), -1)
            best = np.maximum(best, hh)
        return best

    def diamond(x, y, xc, w, L):
        """travelling ribs that cross, moss inside"""
        t = np.abs(((y / L) % 1) * 2 - 1)
        c = w * 0.5 * t
        best = np.full_like(x, -1)
        for s in (1, -1):
            d = (x - xc - s * c) / 0.62
            best = np.maximum(
                best,
                np.where(
                    np.abs(d) < 1,
                    0.55 + 0.5 * np.sqrt(np.clip(1 - d * d, 0, 1)) + 0.18 * jersey(x - xc - s * c + 0.31, y),
                    -1,
                ),
            )
        ins = np.abs(x - xc) < c
        return best, ins

    def aran(x, y):
        ax = np.abs(x)
        h = 0.12 + 0.26 * moss(x, y)
        pur = lambda m, h: np.where(m, 0.10 + 0.16 * np.abs(np.sin(np.pi * y / 0.46)), h)
        b, ins = diamond(x, y, 0, 9.5, 13.0)
        h = np.where((ax < 6.3) & ~ins, 0.10 + 0.16 * np.abs(np.sin(np.pi * y / 0.46)), h)
        h = np.where(ins, 0.16 + 0.42 * moss(x, y), h)
        h = np.where(b > 0, b, h)
        m = (ax > 6.3) & (ax < 12.3)
        h = pur(m, h)
        r = rope(ax, y, 9.3, 5.0, 7.6)
        h = np.where(m & (r > 0), r, h)
        for e in (6.5, 12.1):
            d = (ax - e) / 0.42
            h = np.where(np.abs(d) < 1, 0.3 + 0.4 * np.sqrt(np.clip(1 - d * d, 0, 1)) + 0.2 * jersey(x - e + 0.3, y), h)
        m = (ax > 12.6) & (ax < 17.2)
        h = pur(m, h)
        r = rope(ax, y, 14.9, 3.6, 5.4, 0.25)
        h = np.where(m & (r > 0), r, h)
        d = (ax - 17.4) / 0.42
        h = np.where(np.abs(d) < 1, 0.3 + 0.4 * np.sqrt(np.clip(1 - d * d, 0, 1)) + 0.2 * jersey(x - 17.1, y), h)
        return h

    H0 = aran(X, Y)

    def frame(s):  # sleeve coordinates: across, along
        c0 = np.array([27.2 * s, 60.0])
        c1 = np.array([34.9 * s, 1.2])
        d = c1 - c0
        d /= np.linalg.norm(d)
        return (X - c0[0]) * d[1] * -1 + (Y - c0[1]) * d[0], (X - c0[0]) * d[0] + (Y - c0[1]) * d[1]

    seam = []
    for s in (1, -1):
        a = spline([(21.7 * s, 65.1), (20.4 * s, 58), (21.2 * s, 51), (27 * s, 43.4)], 12)
        seam.append(a)
        m = T.poly(
            np.r_[a, [(27.3 * s, 36), (27.2 * s, 8), (27.0 * s, -9), (60 * s, -9), (60 * s, 80), (21.7 * s, 80)]] * S
        )
        u, v = frame(s)
        h = 0.12 + 0.26 * moss(u, v)
        mm = np.abs(u) < 4.2
        h = np.where(mm, 0.10 + 0.16 * np.abs(np.sin(np.pi * v / 0.46)), h)
        r = rope(u, v, 0, 5.0, 7.6)
        h = np.where(mm & (r > 0), r, h)
        for e in (-4.2, 4.2):
            d = (u - e) / 0.42
            h = np.where(np.abs(d) < 1, 0.3 + 0.4 * np.sqrt(np.clip(1 - d * d, 0, 1)) + 0.2 * jersey(u - e + 0.3, v), h)
        H0 = np.where(m, h, H0)
        D, A = T.dist(np.array([(wo[0] * s, wo[1]), (wi[0] * s, wi[1])]) * S, 8 * S)
        k = (D < 6.6 * S) & m
        H0 = np.where(k, 0.1 + 0.75 * rib(u, v) * sm(0, 0.35 * S, D), H0)
        H0 -= 0.3 * np.exp(-(((D - 6.7 * S) / (0.2 * S)) ** 2)) * m
    base = rgb(color)

    def maps(nk, front):
        H = H0.copy()
        nk = np.r_[mir(nk)[::-1], nk[1:]] * S
        h = np.r_[mir(g.R[3][0]), g.R[3][0][::-1][1:]]
        D, A = T.dist(h, 8 * S)
        k = (D < 6.8 * S) & (np.abs(X) < 26.4) & (Y < 9)
        H = np.where(k, 0.1 + 0.75 * rib(X, Y) * sm(0, 0.35 * S, D), H)
        H -= 0.3 * np.exp(-(((D - 6.9 * S) / (0.2 * S)) ** 2)) * (np.abs(X) < 26)
        for a in seam:
            D, A = T.dist(a * S, 2 * S)
            H = np.where(D < 0.4 * S, H * sm(0.05 * S, 0.4 * S, D), H)
        D, A = T.dist(nk, 5 * S)
        k = D < 3.2 * S
        H = np.where(k, 0.1 + 0.85 * rib(A / S, D / S, 0.9) * sm(0, 0.5 * S, D), H)
        H = np.where((D >= 3.2 * S) & (D < 3.7 * S), H * sm(3.2 * S, 3.7 * S, D), H)
        ao = H - blur(blur(H.astype(np.float32), 41, 0), 41, 1)
        C = (
            base
            * np.clip(0.80 + 0.26 * H + 0.22 * ao, 0.3, 1.12)[..., None]
            * (1 + 0.05 * (cloud(N, 7, 5) - 0.5) + 0.05 * (cloud(N, 90, 6) - 0.5))[..., None]
        )
        return npimage('c%d' % front, np.clip(C, 0, 1)), npimage('h%d' % front, np.clip(H, -1, 2), True)

    kw = dict(height=0.028, weave=500, weave_h=0.10, kind='plain', fuzz=0.07, sheen=0.5, rough=0.9)
    c, h = maps(fn, 1)
    mf = fabric('f', colimg=c, heightimg=h, **kw)
    c, h = maps(bn, 0)
    mb = fabric('b', colimg=c, heightimg=h, **kw)
    g.build(T, mf, mb, 1, 0.024)
    sf = g.surf()
    woven_label((0, 65.5 * S, 0.058), 4.2, 1.9, -4, *label)
    if view == 'cables':
        studio_flat(center=(0.25, 1.55), height=1.5, key=360, fill=0.2)
    else:
        studio_flat(center=(0, 1.36), height=4.6, key=330, fill=0.2)
    return dict(exposure=0.8, look='Medium High Contrast', cloth=True)
