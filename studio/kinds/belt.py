"""A belt, coiled and standing on its edge."""

from kit import *


def canvas(name, color):
    """coarse webbing; UV in units of 10 cm"""
    n = 64
    y, x = np.mgrid[0:n, 0:n] / n
    cell = np.maximum(
        np.abs(np.sin(np.pi * 2 * x)) ** 0.6 * ((np.floor(2 * x) + np.floor(2 * y)) % 2 == 0),
        np.abs(np.sin(np.pi * 2 * y)) ** 0.6 * ((np.floor(2 * x) + np.floor(2 * y)) % 2 == 1),
    )
    m = mat(name, color, 0.9, sheen=0.3, spec=0.12)
    N, L = nt(m)
    tc = N.new('ShaderNodeTexCoord')
    mp = N.new('ShaderNodeMapping')
    mp.inputs['Scale'].default_value = (22, 22, 1)
    L.new(tc.outputs['UV'], mp.inputs[0])
    t = N.new('ShaderNodeTexImage')
    t.image = npimage(name + 'h', cell, True)
    t.interpolation = 'Cubic'
    L.new(mp.outputs[0], t.inputs[0])
    ramp(m, t.outputs[0], [(0.1, shade(color, 0.62)), (0.9, shade(color, 1.08))])
    bump(m, t.outputs[0], 0.8, 0.012)
    return m


def belt(dark='#43230f', light='#7d4826', thread='#d8b98a', webbing=None, turns=2.75, tail=1.1, h=0.42, r0=0.42):
    """coiled on edge; the outer end leaves the coil at the front and carries the buckle"""
    end = leather('belt', dark, light, 55, 0.38, 0.008, coat=0.15)
    lt = canvas('webbing', webbing) if webbing else end
    steel = metal('nickel', (0.84, 0.81, 0.75, 1), 0.16)
    th = mat('thr', thread, 0.8)
    a = np.linspace(0, 2 * math.pi * turns, 420)
    rad = r0 + 0.155 * a / (2 * math.pi)
    P = [(rad[i] * math.cos(t), rad[i] * math.sin(t)) for i, t in enumerate(a)]
    q = np.array(P[-1])
    ang = math.atan2(P[-1][1] - P[-2][1], P[-1][0] - P[-2][0])
    for i in range(int(tail / 0.0125)):
        ang += 0.0012 * (-1 if i < 60 else 0.25)
        q = q + 0.0125 * np.array([math.cos(ang), math.sin(ang)])
        P.append(tuple(q))
    p = Path(P)
    lift = lambda s: 0.115 * float(sm(p.L - 1.5, p.L - 0.25, s))
    put3 = lambda x, y, w: (x, y, h / 2 + w)
    strip(p, lambda s: h / 2, 0.055, lt, put3, 700, 0.18, edge=0.5, mid=lift)

    def put(o, s, z, off):
        c, t, n = p.at(s)
        c = c + n * off
        o.location = (c[0], c[1], z)
        o.rotation_euler = (0, 0, math.atan2(t[1], t[0]))
        return o

    s = 0.1
    while s < p.L - 0.62 and not webbing:
        for z in (0.045, h - 0.045):
            put(rbox(0.046, 0.010, 0.010, 0.004, th, seg=2), s, z + lift(s), 0.032)
        s += 0.064
    E = p.L
    c0, t0, n0 = p.at(E)
    pt = lambda u, z, o: (c0[0] + t0[0] * u + n0[0] * o, c0[1] + t0[1] * u + n0[1] * o, z + lift(E + u))
    # the end is folded round the heel bar and stitched
    q2 = Path(
        [tuple(c0 - t0 * 0.5 + n0 * 0.028), tuple(c0 - t0 * 0.3 + n0 * 0.03)]
        + [
            tuple(c0 + t0 * (0.02 + 0.062 * math.cos(b)) + n0 * (0.0 - 0.062 * math.sin(b)))
            for b in np.linspace(-math.pi / 2, math.pi / 2, 14)
        ]
        + [tuple(c0 - t0 * 0.3 - n0 * 0.06)]
    )
    strip(q2, lambda s: h / 2 - 0.004, 0.04, end, put3, 60, 0.1, off=0.02, mid=lambda s: 0.11)
    for u in (-0.46, -0.17):
        for k in range(6):
            z = 0.06 + k * (h - 0.12) / 5
            rbox(0.010, 0.012, 0.04, 0.004, th, pt(u, z, 0.072), 2)
    for z in (0.045, h - 0.045):
        for k in range(5):
            o = rbox(0.046, 0.012, 0.010, 0.004, th, pt(-0.43 + k * 0.055, z, 0.072), 2)
            o.rotation_euler = (0, 0, math.atan2(t0[1], t0[0]))
    bw, bh = 0.50, h + 0.14
    fr = [(u + 0.235, z + h / 2) for u, z in rrect(bw, bh, 0.09, 8)]
    tube(
        [pt(u, z, 0.012 + 0.05 * math.sin(max(0, min(1, u / 0.45)) * math.pi * 0.5)) for u, z in fr],
        0.044,
        steel,
        True,
        False,
        6,
    )
    # prong: eye round the bar, over to the far bar
    tube(
        [
            pt(-0.01, h / 2, 0.10),
            pt(0.05, h / 2, 0.115),
            pt(0.25, h / 2, 0.125),
            pt(0.44, h / 2, 0.112),
            pt(0.525, h / 2, 0.075),
        ],
        0.027,
        steel,
    )
    # keeper
    kc, kt, kn = p.at(E - 0.68)
    kp = lambda u, z, o: (kc[0] + kt[0] * u + kn[0] * o, kc[1] + kt[1] * u + kn[1] * o, z + lift(E - 0.68))
    rows = [[kp(u, z + h / 2, o) for o, z in rrect(0.15, h + 0.06, 0.045, 5)] for u in (-0.068, -0.06, 0, 0.06, 0.068)]
    rows = [
        [kp(u, h / 2 + z * f, o * f) for o, z in rrect(0.16, h + 0.07, 0.045, 5)]
        for u, f in ((-0.06, 0.93), (-0.065, 0.98), (-0.05, 1), (0, 1.01), (0.05, 1), (0.065, 0.98), (0.06, 0.93))
    ]
    grid(rows, end, True)


def scene(**p):
    group(belt, loc=(-0.24, 0.34, 0), rot=(0, 0, -24), **p)
    stage(1, cam=(0.1, -7.2, 5.4), tgt=(0.06, -0.02, 0.14), lens=90, key=390, back=190, fill=0.24)
    return dict(exposure=0.25)
