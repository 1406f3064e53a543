"""Ties, knotted and laid or rolled."""

from kit import *


def silk(name, kind='repp', colors=('#17233f', '#7d1f2b', '#d9c9a3'), k=1.0, ang=1):
    """drawn in a tile of UV units (1 unit = 10 cm); kind repp (stripes), dot, plain"""
    n = 1024
    T = 1.0 / k
    y, x = np.mgrid[0:n, 0:n] / n
    c = [np.array(srgb(h)[:3]) ** (1 / 2.2) for h in colors]
    im = np.zeros((n, n, 3))
    im[:] = c[0]
    w = (x + ang * y) % 1
    if kind == 'repp':
        for a, b, q in ((0.0, 0.16, 1), (0.19, 0.225, 2), (0.52, 0.60, 2)):
            im[(w >= a) & (w < b)] = c[q]
    if kind == 'dot':
        for cx, cy in ((0.25, 0.25), (0.75, 0.75)):
            im[np.hypot(x - cx, y - cy) < 0.115] = c[2]
    if kind == 'grenadine':
        q = 26
        u, v = x * q, y * q + 0.5 * (np.floor(x * q) % 2)
        cell = np.abs(np.sin(np.pi * u)) ** 0.7 * np.abs(np.sin(np.pi * v)) ** 0.7
        im = im * (0.50 + 0.62 * cell)[..., None]
    m = mat(name, colors[0], 0.36, sheen=0.35, spec=0.42)
    N, L = nt(m)
    t = N.new('ShaderNodeTexImage')
    t.image = npimage(name, im)
    tc = N.new('ShaderNodeTexCoord')
    mp = N.new('ShaderNodeMapping')
    mp.inputs['Scale'].default_value = (k, k, 1)
    L.new(tc.outputs['UV'], mp.inputs[0])
    L.new(mp.outputs[0], t.inputs[0])
    L.new(t.outputs[0], N['Principled BSDF'].inputs['Base Color'])
    if kind == 'grenadine':
        bump(m, t.outputs[0], 0.8, 0.012)
        return m
    wv = tex(m, 'Wave', coord='UV', scale=(1, -0.8, 1), Scale=55.0, Distortion=0.3)
    b = bump(m, wv.outputs['Fac'], 0.22, 0.004)
    nz = tex(m, 'Noise', coord='UV', Scale=3.0, Detail=2.0)
    bump(m, nz.outputs['Fac'], 0.3, 0.02, b)
    return m


def rolled(colors=('#17233f', '#7d1f2b', '#d9c9a3'), kind='repp', k=2.2, turns=5.2, seed=1):
    """rolled from the narrow end, standing on edge; the pointed end outside"""
    m = silk('silk%d' % seed, kind, colors, k)
    a = np.linspace(0, 2 * math.pi * turns, 520)
    rad = 0.05 + 0.056 * a / (2 * math.pi) + 0.006 * np.sin(a * 0.7 + seed)
    P = [(r * math.cos(t) * 1.03, r * math.sin(t)) for r, t in zip(rad, a)]
    p = Path(P)
    L_ = p.L

    def half(s):
        h = 0.22 + 0.17 * min(1, s / (L_ * 0.9))
        return max(0.004, min(h, (L_ - s) * 1.0))

    strip(
        p,
        half,
        0.042,
        m,
        lambda x, y, w: (x, y, w + 0.40),
        560,
        0.25,
        mid=lambda s: -0.40 + max(half(s), 0.22 + 0.17 * min(1, s / (L_ * 0.9))) if s < L_ * 0.9 else -0.01,
        edge=0.9,
    )


def knotted(colors=('#17233f', '#7d1f2b', '#d9c9a3'), kind='repp', k=1.7, L=3.35):
    """tied and laid flat: knot at y=0, blade to -y, collar loop to +y"""
    m = silk('silk', kind, colors, k)
    m2 = silk('silkb', kind, colors, k, -1)

    # blade: width and dimple along its length
    def blade(L, w0, w1, z0, mm, dx=0, dim=1.0, sh=0):
        rows = []
        uv = []
        for y in np.r_[np.linspace(0, L - 0.42, 60), np.linspace(L - 0.42, L, 44)[1:]]:
            w = w0 + (w1 - w0) * sm(0, 0.55, y) * 0.45 + (w1 - w0) * 0.55 * min(1, y / L)
            tip = L - y
            hw = min(w / 2, tip * 1.0 + 0.002)
            d = dim * math.exp(-y / 0.55)
            r = []
            u = []
            for a in np.linspace(-1, 1, 41):
                x = a * hw
                t = 0.045 * (max(0, 1 - abs(a) ** 5)) ** 0.5 * min(1, hw / 0.06)
                z = (
                    z0
                    + t
                    + d
                    * (
                        0.13 * math.exp(-(((a + 0.04) / 0.62) ** 2))
                        - 0.16 * math.exp(-(((a - 0.02) / 0.15) ** 2))
                        + 0.05 * math.exp(-(((a - 0.5) / 0.2) ** 2))
                    )
                    + 0.03 * math.exp(-y / 1.2) * math.sin(a * 2.2 + y * 1.6)
                    + 0.012 * math.sin(y * 1.9 + 1)
                    + 0.10 * math.exp(-y / 0.3)
                )
                r.append((x + dx * y / L + sh * math.sin(y * 0.8), -y, z))
                u.append((x, -y))
            rows.append(r)
            uv.append(u)
        o = grid(rows, mm, uv=uv, sub=1)
        s = o.modifiers.new('t', 'SOLIDIFY')
        s.thickness = 0.03
        s.offset = -1
        return o

    blade(L - 0.5, 0.24, 0.50, 0.01, m, -0.16, 0.1)
    blade(L, 0.34, 0.82, 0.035, m, 0.06, 1.0, 0.015)
    # collar loop: two bands rising from behind the knot and meeting above
    for s in (1, -1):
        P = [
            (s * x, y)
            for x, y in ((0.10, 0.0), (0.34, 0.42), (0.62, 0.95), (0.74, 1.45), (0.60, 1.86), (0.28, 2.06), (0, 2.10))
        ]
        C = spline(P, 14)
        rows = []
        uv = []
        q = Path(C)
        for i, sv in enumerate(np.linspace(0, q.L, 70)):
            c, t, n = q.at(sv)
            f = sv / q.L
            hw = 0.17 + 0.06 * math.sin(f * math.pi) * (1) - 0.02 * f
            r = []
            u = []
            for a in np.linspace(-1, 1, 21):
                z = (
                    0.03
                    + 0.05 * (max(0, 1 - abs(a) ** 4)) ** 0.5
                    + 0.10 * math.exp(-sv / 0.35)
                    + 0.05 * math.sin(f * 3.14) * (0.5 - 0.5 * a * s)
                )
                r.append((c[0] + n[0] * a * hw, c[1] + n[1] * a * hw, z))
                u.append((a * hw, sv))
            rows.append(r)
            uv.append(u)
        grid(rows, m if s > 0 else m2, uv=uv, sub=1)
    # knot: a bulging trapezoid with wrapped edges and a crease
    rows = []
    uv = []
    for v in np.linspace(0, 1, 34):
        y = 0.50 - 0.78 * v
        hw = 0.40 - 0.165 * v + 0.018 * math.sin(v * math.pi)
        r = []
        u = []
        cap = min(1, (min(v, 1 - v) + 0.02) / 0.12) ** 0.5
        for a in np.linspace(-1, 1, 41):
            z = (
                0.05
                + cap * (0.33 - 0.05 * v) * (max(0, 1 - abs(a) ** 2.6)) ** 0.5
                + 0.018 * math.sin((a * 1.0 + v * 1.5) * 5) * cap
            )
            yy = y + 0.05 * (a + 0.1) * (1 - v) + 0.035 * (1 - a * a) * (-1 if v > 0.5 else 1) * abs(v - 0.5) * 2
            r.append((a * hw, yy, z))
            u.append((a * hw * 1.2 + 0.1, y * 1.0 + 0.35 * a * hw))
        rows.append(r)
        uv.append(u)
    grid(rows, m2, uv=uv, sub=1)


def scene(view='knotted', ties=None, **p):
    if view == 'knotted':
        group(knotted, rot=(0, 0, -7), **p)
        studio_flat(center=(0.12, -0.66), height=6.5, key=520, fill=0.3, kz=3.0)
        return dict(exposure=0.6, look='Medium High Contrast', cloth=True)
    places = ((-0.5, 0.15, 40), (0.42, 0.30, -60), (0.06, -0.62, 250))
    ties = ties or [dict(p)]
    if len(ties) == 1:
        places = ((0, 0, -35),)
    for i, (place, t) in enumerate(zip(places, ties)):
        x, y, r = place
        group(rolled, loc=(x, y, 0), rot=(0, 0, r), seed=i, s=1.5 if len(ties) == 1 else 1, **t)
    stage(0.95, cam=(0.3, -7.2, 5.0), tgt=(0, -0.1, 0.3), lens=116, key=390, back=170, fill=0.24)
    return dict(exposure=0.35)
