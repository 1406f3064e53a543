"""T-shirts and running tees, laid flat."""

from kit import *


def scene(
    color='#33557f',
    cloth='jersey',
    label='#f1ece2',
    pocket=False,
    raglan=False,
    wordmark=None,
    shoulder_line=None,
    collar=2.1,
):
    neck = (8.6, 68.5)
    sh = (22, 64.8)
    slt = (37.5, 49.5)
    slb = (27.8, 42)
    arm = (25.6, 46)
    g = Garment(
        [
            (spline([neck + ('c',), (15.5, 67), sh, (30, 58), slt + ('c',)], 8), 'sew'),
            (np.array([slt, slb]), 'cuff'),
            (spline([slb + ('c',), (26.0, 44.6), (25.2, 43.2), (24.8, 30), (25, 12), (25.4, 0, 'c')], 8), 'sew'),
            (spline([(25.4, 0, 'c'), (13, -0.5), (0, -0.7)], 6), 'hem'),
        ],
        spline([(0, 58.6), (4.2, 59.5), (7.2, 62.8), neck + ('c',)], 6),
        spline([(0, 66.2), (4.5, 66.5), (7.2, 67.3), neck + ('c',)], 6),
    )
    P = g.flat

    def pose(V):
        x, y = V[:, 0] / S, V[:, 1] / S
        s = np.sign(x)
        ax = np.abs(x)
        # lower sleeves: rotate about the shoulder
        w = sm(19, 27, ax + (y - 46) * 0) * sm(38, 46, y)
        ang = -np.radians(9) * w
        px, py = 21, 61
        dx, dy = ax - px, y - py
        ax2 = px + dx * np.cos(ang) - dy * np.sin(ang)
        y2 = py + dx * np.sin(ang) + dy * np.cos(ang)
        body = 1 - sm(20, 27, ax)
        ax2 = ax2 * (1 - 0.035 * sm(60, 40, y) * 1)
        y2 = y2 + 0.9 * np.sin(ax / 5) * 0
        n1 = field(V, 1.1, 3.3) * 1.4
        n2 = field(V, 1.1, 9.3) * 1.2
        k = sm(58, 50, y)
        V[:, 0] = (s * ax2 + n1 * k) * S
        V[:, 1] = (y2 * (1 - 0.02) + 1.2 + n2 * k) * S
        V[:, 2] += 0.03 * (1 + field(V, 2.6, 5)) * k
        return V

    def pin(V):
        x, y = np.abs(V[:, 0] / S), V[:, 1] / S
        w = np.zeros(len(V))
        w[(x < 10) & (y > 61)] = 1
        w[g.iss & (x > 19) & (y > 48) & (x < 24)] = 1
        for c in ((37.5, 49.5), (27.8, 42), (25.4, 0), (25, 12), (24.8, 30)):
            w[(np.hypot(x - c[0], y - c[1]) < 1.7)] = 1
        return w

    g.sim('tee', pose, pin, frames=40, turb=5.0, bend=0.25, tension=15, selfd=0.014)
    N = map_size(3072)
    T = Tex((-1.8, -0.2), 3.6, N)
    value, rough = weave(cloth, T.X / S, T.Y / S)
    base = rgb(color) * value[..., None]

    def maps(nk, front):
        H = 0.5 + rough
        nk = np.r_[mir(nk)[::-1], nk[1:]] * S
        D, A = T.dist(nk, 4 * S)
        ribs = 0.5 + 0.5 * np.sin(2 * np.pi * A / (0.3 * S))
        H = np.where(
            D < collar * S, H + 0.12 * ribs + 0.3 * sm(collar * S, (collar - 0.3) * S, D) - 0.4 * sm(0.3 * S, 0, D), H
        )
        H -= 0.5 * np.exp(-(((D - collar * S) / (0.1 * S)) ** 2))
        stitch(H, D, A, (collar + 0.5) * S, S, 0.3)
        hem = np.r_[mir(g.R[3][0]), g.R[3][0][::-1][1:]]
        D, A = T.dist(hem, 4 * S)
        stitch(H, D, A, 2.2 * S, S, 0.35)
        stitch(H, D, A, 2.75 * S, S, 0.35)
        for s in (1, -1):
            D, A = T.dist(np.array([(slt[0] * s, slt[1]), (slb[0] * s, slb[1])]) * S, 4 * S)
            stitch(H, D, A, 2.0 * S, S, 0.35)
            stitch(H, D, A, 2.5 * S, S, 0.35)
            ah = (
                spline([(8.2 * s, 66.4), (14.5 * s, 60), (20.5 * s, 51.5), (25.4 * s, 44.6)], 10) * S
                if raglan
                else spline([(22.2 * s, 64.7), (20.7 * s, 58), (21.3 * s, 51), (25.4 * s, 44.6)], 10) * S
            )
            D, A = T.dist(ah, 2 * S)
            H -= 0.7 * np.exp(-((D / (0.14 * S)) ** 2))
            H += 0.2 * sm(0.9 * S, 0.15 * S, D)
            if raglan:
                stitch(H, D, A, 0.5 * S, S, 0.5)
                stitch(H, D, A, 0.25 * S, S, 0.3)
        C = base
        if front and pocket:
            pk = (
                np.array([(6.2, 52.5), (6.2, 43.2), (7.2, 42), (15.2, 42), (16.2, 43.2), (16.2, 52.5), (6.2, 52.5)]) * S
            )
            m = T.poly(pk)
            D, A = T.dist(pk, 2 * S)
            H += np.where(m, 0.45 * sm(0, 0.2 * S, D), -0.6 * np.exp(-((D / (0.2 * S)) ** 2)))
            q = np.zeros_like(H)
            stitch(q, D, A, 0.4 * S, S, 0.4)
            H += q * m
            D, A = T.dist(np.array([(6.2, 50.4), (16.2, 50.4)]) * S, 1 * S)
            q = np.zeros_like(H)
            stitch(q, D, A, 0, S, 0.4)
            H += q * m
        if shoulder_line:
            for s in (1, -1):
                D, A = T.dist(np.array([(13.0 * s, 66.2), (20.6 * s, 56.4)]) * S, 1 * S)
                C = np.where((D < 0.22 * S)[..., None], rgb(shoulder_line), C)
        C = C * (0.86 + 0.28 * np.clip(H, 0, 0.6))[..., None]
        return npimage('c%d' % front, np.clip(C, 0, 1)), npimage('h%d' % front, np.clip(H, -0.6, 1.6), True)

    fn = spline([(-4.2, 59.5), (0, 58.6), (4.2, 59.5), (7.2, 62.8), neck + ('c',)], 6)
    fn = fn[fn[:, 0] >= 0]
    bn = spline([(-4.5, 66.5), (0, 66.2), (4.5, 66.5), (7.2, 67.3), neck + ('c',)], 6)
    bn = bn[bn[:, 0] >= 0]
    kw = dict(height=0.01, weave=300, weave_h=0.06, kind='knit', fuzz=0.04, sheen=0.4)
    c, h = maps(fn, 1)
    mf = fabric('f', colimg=c, heightimg=h, **kw)
    c, h = maps(bn, 0)
    mb = fabric('b', colimg=c, heightimg=h, **kw)
    g.build(T, mf, mb, 1, 0.012)
    # neck label
    woven_label((0, 64.5 * S, 0.062), 3.8, 2.0, -6, label)
    if wordmark:
        print_on(g.surf(), 'HABERDASH', 1.15, mat('wordmark', wordmark, 0.35, metal=0.5), 17.0, 4.6)
    studio_flat(center=(0, 1.37), height=4.3, key=330, fill=0.28)
    return dict(exposure=0.65, look='Medium High Contrast', cloth=True)
