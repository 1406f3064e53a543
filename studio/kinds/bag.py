"""A duffel bag standing on the ground. 1 unit = 16 cm, body 3.1 long."""

from kit import *

L, H, DEP = 1.55, 1.50, 0.80


def P(u, a, off=0.0):
    """the body: u -1..1 along, a the angle round (0 = front, pi/2 = top)"""
    c, s = math.cos(a), math.sin(a)
    e = 3.1
    y = -math.copysign(abs(c) ** (2 / e), c) * DEP
    z = math.copysign(abs(s) ** (2 / e), s) * H / 2
    end = sm(0.80, 1, abs(u))
    f = 1 - 0.07 * end
    sag = -0.07 * (1 - u * u) * max(0, s) + 0.05 * math.exp(-(((abs(u) - 0.9) / 0.2) ** 2)) * max(0, s)
    n = 0.035 * noise.noise((u * 1.7, a * 1.1, 1)) + 0.018 * noise.noise((u * 4.5, a * 3, 4))
    n *= 0.3 + 0.7 * min(1, (z + H / 2) / 0.5)
    return (
        u * L * (1 + off * 0.5 / L),
        y * (f + n) + (-off if c > 0 else off) * abs(c),
        (z * f + n * 0.6 * max(0, s)) + H / 2 + sag + off * s,
    )


def canvas(name, color, waxed=False):
    m = mat(name, color, 0.55 if waxed else 0.78, sheen=0.15, spec=0.3 if waxed else 0.22)
    N, L_ = nt(m)
    w1 = tex(m, 'Wave', coord='UV', Scale=46.0, Distortion=0.3)
    w2 = tex(m, 'Wave', coord='UV', Scale=46.0, Distortion=0.3, bands_direction='Y')
    mu = N.new('ShaderNodeMath')
    mu.operation = 'MULTIPLY'
    L_.new(w1.outputs['Fac'], mu.inputs[0])
    L_.new(w2.outputs['Fac'], mu.inputs[1])
    b = bump(m, mu.outputs[0], 0.35, 0.006)
    c = tex(m, 'Noise', scale=(1, 1, 1.6), Scale=2.4 if waxed else 4.0, Detail=8.0, Distortion=1.4 if waxed else 0.2)
    ramp(
        m, c.outputs['Fac'], [(0.30, shade(color, 0.80)), (0.55, color), (0.74, shade(color, 1.38 if waxed else 1.12))]
    )
    bump(m, c.outputs['Fac'], 0.45 if waxed else 0.2, 0.03, b)
    return m


def bag(
    color='#18191b', trim='#141416', leather_trim=None, zip_metal='#1a1a1a', waxed=False, label=('#f1ece2', '#23262c')
):
    m = canvas('canvas', color, waxed)
    t = (
        leather('trim', shade(leather_trim, 0.6), leather_trim, 55, 0.5, 0.006)
        if leather_trim
        else canvas('webbing', trim)
    )
    thr = mat('thread', shade(leather_trim, 1.7) if leather_trim else shade(color, 1.9), 0.8)
    A = np.linspace(-math.pi, math.pi, 161)
    U = np.r_[np.linspace(-1, -0.9, 10)[:-1], np.linspace(-0.9, 0.9, 90), np.linspace(0.9, 1, 10)[1:]]
    grid([[P(u, a) for a in A] for u in U], m, uv=[[(u * L, a * 0.55) for a in A] for u in U])
    for s in (1, -1):  # end panels, a little domed, with piping round them
        rim = [P(s, a) for a in A]
        c = np.mean(rim, 0)
        rows = [
            [tuple(c + (np.array(q) - c) * f + np.array([s * 0.10 * (1 - f * f), 0, 0])) for q in rim]
            for f in np.linspace(0.001, 1, 24)
        ]
        grid(rows if s < 0 else rows[::-1], m, uv=[[(q[1], q[2]) for q in r] for r in (rows if s < 0 else rows[::-1])])
        tube([rim[i] for i in range(0, 160, 2)], 0.026, t, True)
        arc = [
            tuple(c + np.array([s * (0.10 * (1 - f * f) + 0.012), y, z]))
            for y, z, f in (
                (-0.46, -0.34, 0.7),
                (-0.44, 0.10, 0.6),
                (-0.30, 0.36, 0.6),
                (0, 0.43, 0.6),
                (0.30, 0.36, 0.6),
                (0.44, 0.10, 0.6),
                (0.46, -0.34, 0.7),
            )
        ]
        ribbon(arc, 0.085, 0.014, mat('pocketzip', '#0f0f10', 0.6), (1e-3, 0.6, 0.8), 60)
    # seams lengthways and the zip
    for a in (math.radians(38), math.radians(142)):
        tube([P(u, a, 0.004) for u in np.linspace(-1, 1, 60)], 0.012, m)
    z = mat('zip', '#101011', 0.6)
    grid(
        [[P(u, math.pi / 2 + d, 0.012) for d in (-0.10, -0.05, 0, 0.05, 0.10)] for u in np.linspace(-0.93, 0.93, 90)], z
    )
    teeth = metal('teeth', srgb(zip_metal), 0.3) if zip_metal != '#1a1a1a' else mat('teeth', '#2a2b2d', 0.4)
    for i in range(150):
        p = P(-0.92 + i * 1.84 / 149, math.pi / 2, 0.018)
        rbox(0.012, 0.05, 0.012, 0.003, teeth, p, 1)
    p = P(-0.62, math.pi / 2, 0.03)
    rbox(0.10, 0.075, 0.03, 0.012, teeth, p, 2)
    rbox(0.16, 0.045, 0.014, 0.006, teeth, (p[0] + 0.10, p[1] - 0.03, p[2] + 0.012), 2, (0, 0.25, -0.4))
    # corners
    if leather_trim:
        for s in (1, -1):
            for a0, a1 in ((-0.95, -0.02),):
                grid(
                    [[P(s * u, a, 0.012) for a in np.linspace(a0, a1, 24)] for u in np.linspace(0.72, 1.0, 20)], t
                ).modifiers.new('t', 'SOLIDIFY').thickness = 0.012
    # handles: sewn up the front and back, joined at the top
    for s in (1, -1):

        def face(x, a):
            q = P(x / L, a, 0.016)
            return (q[0], q[1] * s, q[2])

        x = 0.62
        up = [face(-x, b) for b in (-0.75, -0.45, 0, 0.45, 0.72)]
        top = [
            (-0.56, -s * 0.44, 1.66),
            (-0.36, -s * 0.24, 1.95),
            (-0.14, -s * 0.10, 2.07),
            (0.14, -s * 0.10, 2.07),
            (0.36, -s * 0.24, 1.95),
            (0.56, -s * 0.44, 1.66),
        ]
        down = [face(x, b) for b in (0.72, 0.45, 0, -0.45, -0.75)]
        pts = up + top + down
        sides = (
            [(1, 0, 0)] * 5
            + [
                (0.9, -0.2 * s, 0.3),
                (0.5, -0.6 * s, 0.5),
                (0.1, -1 * s, 0.1),
                (0.1, 1e-3 - 1 * s, -0.1),
                (0.5, -0.6 * s, -0.5),
                (0.9, -0.2 * s, -0.3),
            ]
            + [(1, 0, 0)] * 5
        )
        ribbon(pts, 0.15, 0.032, t, sides, 220)
        if s > 0:
            for xx in (-x, x):
                for d in (-0.055, 0.055):
                    for k_ in range(26):
                        q0 = P((xx + d) / L, -0.72 + k_ * 0.056, 0.035)
                        q1 = P((xx + d) / L, -0.72 + k_ * 0.056 + 0.034, 0.035)
                        tube([q0, q1], 0.006, thr, False, False, 1)
    rbox(0.40, 0.30, 0.085, 0.035, t, (0, 0, 2.075), 3)
    p = P(0, 0.12, 0.012)
    q = P(0, 0.30, 0.012)
    group(lambda: woven_label((0, 0, 0), 9.5, 4.4, 0, *label), loc=p, rot=(86, 0, 0))


def scene(**p):
    group(bag, loc=(0, 0.1, 0), rot=(0, 0, -26), s=0.86, **p)
    stage(1.3, cam=(0, -8.6, 3.3), tgt=(0, 0, 0.66), lens=82, key=470, back=260, fill=0.30)
    return dict(exposure=0.45, look='Medium High Contrast', cloth=True)
