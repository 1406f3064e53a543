"""Five-pocket jeans, laid flat."""

from kit import *


def scene(
    cut='straight',
    color='#1c2433',
    fade='#67758b',
    thread_color='#d08a3e',
    metal_color='#b9773f',
    patch_color=('#8a5a34', '#2b170b'),
    worn=1.0,
    view='whole',
):
    wst = (19.8, 105)
    slim = cut == 'slim'
    ho, hi = ((22.4, 0), (8.6, -0.5)) if slim else ((25.0, 0), (8.0, -0.5))
    knee = ((23.0, 30), (7.2, 30)) if slim else ((25.0, 30), (6.2, 30))
    outer = spline(
        [wst + ('c',), (22.2, 96), (24.2, 84), (25.0, 62) if not slim else (24.2, 62), knee[0], ho + ('c',)], 10
    )
    inner = spline([hi + ('c',), knee[1], (3.4, 57), (1.4, 71), (0, 76, 'c')], 10)
    fn = spline([(0, 102.2), (10, 103.1), wst + ('c',)], 8)
    bn = spline([(0, 106.2), (10, 106), wst + ('c',)], 8)
    g = Garment([(outer, 'sew'), (np.array([ho, hi]), 'hem'), (inner, 'sew')], fn, bn, step=0.05)

    def pose(V):
        x, y = V[:, 0] / S, V[:, 1] / S
        s = np.sign(x)
        ax = np.abs(x)
        k = sm(96, 84, y)
        n1 = field(V, 1.0, 7.3) * 1.7
        n2 = field(V, 1.0, 2.3) * 2.1
        lg = sm(72, 40, y)
        x2 = s * (ax - lg * 0.6) * (1 - 0.03 * k)
        V[:, 0] = (x2 + n1 * k) * S
        V[:, 1] = (52 + (y - 52) * 0.955 + n2 * k) * S
        V[:, 2] += 0.035 * (1 + field(V, 2.4, 5)) * k
        return V

    def pin(V):
        x, y = np.abs(V[:, 0] / S), V[:, 1] / S
        w = np.zeros(len(V))
        w[y > 96] = 1
        for c in (ho, hi, *knee, (0, 76), (25, 62)):
            w[np.hypot(x - c[0], y - c[1]) < 2] = 1
        w[y < 2.2] = 1
        return w

    g.sim('jeans-slim' if slim else 'jeans', pose, pin, frames=34, turb=5.0, bend=0.45, tension=20, selfd=0.014)
    N = map_size(3072)
    T = Tex((-2.2, -0.1), 4.5, N)
    X, Y = T.X / S, T.Y / S
    base = rgb(color)
    fade = rgb(fade)
    gold = rgb(thread_color)
    # denim: slubs along the warp, thighs and knees worn lighter
    rng = np.random.RandomState(4)
    slub = blur(blur(rng.rand(N, N).astype(np.float32), 60, 0), 2, 1)
    slub = (slub - slub.mean()) / slub.std()
    cl = cloud(N, 170, 3) * 0.6 + cloud(N, 60, 8) * 0.4
    ax = np.abs(X)
    leg = 12.4 + (72 - np.clip(Y, 0, 95)) * 0.055
    wear = worn * 0.62 * np.exp(-(((ax - leg) / 6.2) ** 2)) * sm(92, 74, Y) * (0.35 + 0.65 * sm(8, 54, Y)) + 0.12
    wear = wear * (0.75 + 0.5 * cl)
    for a, yy in ((0.16, 84), (0.14, 80.5), (0.12, 77), (0.10, 46), (0.09, 43)):  # whiskers
        wear += (
            worn
            * a
            * np.exp(-(((Y - yy - (ax - leg) * (0.35 if yy > 62 else 0.1) - 2 * cl) / 0.55) ** 2))
            * sm(9, 3, np.abs(ax - leg - 1))
        )

    def maps(nk, front):
        H = np.full((N, N), 0.5)
        w = wear.copy()
        nk = np.r_[mir(nk)[::-1], nk[1:]] * S
        rows = []

        def edge(D, A, wd=0.5):  # abrasion beside a seam, in a rope pattern
            nonlocal w
            w = w + worn * 0.30 * np.exp(-(((D / S - wd) / 0.35) ** 2)) * (
                0.45 + 0.55 * np.sin(2 * np.pi * A / (1.1 * S) + D / S * 2)
            )

        D, A = T.dist(nk, 6 * S)
        H += 0.4 * sm(4.0 * S, 3.8 * S, D)
        H -= 0.7 * np.exp(-(((D - 4.15 * S) / (0.16 * S)) ** 2))
        rows += [(D, A, 0.45 * S), (D, A, 3.6 * S)]
        if front:
            D, A = T.dist(np.array([(0, 98.2), (0, 76)]) * S, 2 * S)
            H -= 0.9 * np.exp(-((D / (0.16 * S)) ** 2))
            rows += [(D + 9 * (X < 0), A, 0.35 * S)]
            edge(D, A, 0.3)
            fly = spline([(4.4, 98.2), (4.3, 88), (3.2, 83.5), (0.3, 81.4)], 8) * S
            D, A = T.dist(fly, 2 * S)
            rows += [(D, A, 0), (D, A, 0.6 * S)]
            for s in (1, -1):
                pk = spline([(11.8 * s, 98.8), (12.7 * s, 94.4), (16.2 * s, 91), (22.9 * s, 89.6)], 10) * S
                D, A = T.dist(pk, 2 * S)
                H -= 1.4 * np.exp(-((D / (0.2 * S)) ** 2))
                rows += [(D, A, 0.45 * S), (D, A, 1.05 * S)]
                edge(D, A, 0.2)
                D, A = T.dist(
                    np.c_[
                        np.interp(np.linspace(0, 1, 60), np.linspace(0, 1, len(outer)), outer[:, 0]) * s,
                        np.interp(np.linspace(0, 1, 60), np.linspace(0, 1, len(outer)), outer[:, 1]),
                    ]
                    * S,
                    2 * S,
                )
                edge(D, A, 0.5)
            D, A = T.dist(np.array([(15.4, 92.2), (15.7, 96), (20.9, 95.9)]) * S, 1 * S)
            rows += [(D, A, 0.1 * S), (D, A, 0.5 * S)]
        for s in (1, -1):
            D, A = T.dist(np.array([(ho[0] * s, ho[1]), (hi[0] * s, hi[1])]) * S, 6 * S)
            rows += [(D, A, 1.9 * S)]
            edge(D, A, 0.9)
            H += 0.35 * sm(2.4 * S, 2.2 * S, D)
            H += 0.3 * np.sin(2 * np.pi * A / (1.1 * S) + D / S * 2.2) * sm(2.2 * S, 1.8 * S, D) * sm(0, 0.4 * S, D)
            ii = inner * np.array([s, 1])
            D, A = T.dist(ii[::4] * S, 3 * S)
            edge(D, A, 0.4)
        C = base + (fade - base) * np.clip(w, 0, 0.95)[..., None]
        C = C * (1 + 0.075 * slub[..., None])
        for D, A, at in rows:
            stitch(H, D, A, at, S, 0.5, length=0.36)
            C = thread(C, D, A, at, gold, length=0.36)
        C = C * np.clip(0.72 + 0.56 * np.clip(H, 0, 0.5), 0, 1)[..., None]
        return npimage('c%d' % front, np.clip(C, 0, 1)), npimage('h%d' % front, np.clip(H, -1, 2), True)

    kw = dict(height=0.012, weave=620, weave_h=0.22, kind='twill', fuzz=0.10, sheen=0.2)
    c, h = maps(fn, 1)
    mf = fabric('f', colimg=c, heightimg=h, **kw)
    c, h = maps(bn, 0)
    mb = fabric('b', colimg=c, heightimg=h, **kw)
    g.build(T, mf, mb, 1, 0.012)
    sf = g.surf()
    # waistband, belt loops, button, rivets, patch
    lo = fn - np.array([0, 4.1])
    lo = np.c_[fn[:, 0] * 1.02, fn[:, 1] - 4.1]
    lo[-1, 0] = wst[0] + 0.9
    band = np.r_[mir(fn)[::-1], fn[1:], lo[::-1], mir(lo)[1:]]
    keep = [band[0]]
    for p in band[1:]:
        if np.hypot(*(p - keep[-1])) > 0.5:
            keep.append(p)
    patch(sf, T, keep, mf, 0.008, 0.008, 0.035)
    for x in (-14.0, -6.6, 6.6, 14.0):
        top = np.interp(abs(x), fn[:, 0], fn[:, 1])
        yy = np.linspace(top - 4.8, top + 0.3, 10)
        rows = []
        for dx, hh in ((-0.62, 0.004), (-0.5, 0.024), (0, 0.03), (0.5, 0.024), (0.62, 0.004)):
            rows.append(
                [tuple(sf.at((x + dx) * S, y * S, hh + 0.016 * np.sin(np.pi * i / 9))[0]) for i, y in enumerate(yy)]
            )
        loft(rows, 20, 3, mf, 0.004, 1, uvs=lambda V, uv: T.uv(np.c_[(x + uv[:, 1]) * S, (80 + uv[:, 0] * 5) * S]))
    cop = mat('cop', metal_color, 0.32, metal=1)
    dark = mat('dk', '#3a2a1c', 0.5, metal=0.6)

    def stud(x, y, r, h):
        p, n = sf.at(x * S, y * S, h)
        o = lathe(
            [
                (0, 0.34 * r),
                (0.3 * r, 0.34 * r),
                (0.42 * r, 0.26 * r),
                (0.6 * r, 0.30 * r),
                (0.85 * r, 0.26 * r),
                (1 * r, 0.1 * r),
                (1 * r, 0),
            ],
            36,
            cop,
        )
        o.rotation_mode = 'QUATERNION'
        o.rotation_quaternion = Vector(n).to_track_quat('Z', 'Y')
        o.location = p

    stud(0.6, 100.2, 0.95 * S, 0.018)
    for s in (1, -1):
        for x, y in ((12.5, 97.8), (22.2, 90.5)):
            stud(x * s, y, 0.36 * S, 0.010)
    stud(20.4, 95.6, 0.3 * S, 0.010)
    woven_label((0, 102.4 * S, 0.055), 4.6, 2.0, -8, *patch_color)
    if view == 'detail':
        studio_flat(center=(0.35, 3.72), height=1.7, key=440, fill=0.28)
    else:
        studio_flat(center=(0, 2.08), height=5.0, key=420, fill=0.28)
    return dict(exposure=0.75, look='Medium High Contrast', cloth=True)
