"""A safety razor on a tile."""

from kit import *


def razor(finish='chrome', comb=False):
    """safety razor along +x, 1 unit = 10 cm; head at the +x end, its edges along y"""
    ch = (
        metal('chrome', (0.82, 0.82, 0.81, 1), 0.10)
        if finish == 'chrome'
        else metal('brass', srgb('#b08d4c'), 0.26, 0.1, (1, 1, 60))
    )
    gold = ch

    def turn(prof, m, n=96):
        o = lathe(prof, n, m)
        o.rotation_euler = (0, math.pi / 2, 0)
        return o

    turn([(0, 0), (0.035, 0), (0.055, 0.012), (0.058, 0.05), (0.05, 0.07), (0.045, 0.075)], ch)
    k = turn(
        [(0.045, 0.075), (0.052, 0.08)]
        + [(0.052, z) for z in np.linspace(0.09, 0.63, 70)]
        + [(0.052, 0.64), (0.045, 0.645)],
        gold,
        120,
    )
    for i, v in enumerate(k.data.vertices):
        r, j = i // 120, i % 120
        if 2 <= r < 72:
            f = 1 + 0.030 * math.sin(2 * math.pi * (j / 120 * 20) + r * 0.9) * math.sin(
                2 * math.pi * (j / 120 * 20) - r * 0.9
            )
            v.co.x *= f
            v.co.y *= f
    turn(
        [
            (0.045, 0.645),
            (0.056, 0.65),
            (0.058, 0.68),
            (0.05, 0.70),
            (0.040, 0.705),
            (0.036, 0.78),
            (0.032, 0.84),
            (0.036, 0.88),
            (0.045, 0.895),
            (0.045, 0.91),
            (0, 0.91),
        ],
        ch,
    )
    # guard, blade, cap: curved plates across y, stacked along x
    L = 0.225

    def plate(x0, th, half, curve, m, teeth=0):
        rows = []
        for y in np.linspace(-L, L, 90):
            h = half * (1 - ((0.22 if comb else 0.10) * (math.sin(math.pi * (y + L) / 0.05) > 0) if teeth else 0))
            h *= 1 if abs(y) < L - 0.012 else 0.93
            r = []
            for f in np.linspace(-1, 1, 13):
                r.append((x0 - curve * f * f, y, f * h))
            for f in np.linspace(1, -1, 13):
                r.append((x0 - curve * f * f + th * (1 - 0.7 * f * f), y, f * h))
            rows.append(r)
        return grid(rows, m, True, True)

    plate(0.905, 0.028, 0.125, 0.030, ch, 1)
    plate(0.935, 0.006, 0.118, 0.030, metal('blade', (0.7, 0.72, 0.75, 1), 0.22))
    plate(0.943, 0.05, 0.108, 0.028, ch)
    # the name, engraved on the neck
    text(
        'HABERDASH',
        0.030,
        mat('engraved', '#3a3836', 0.6),
        (0.775, -0.0345, 0.0),
        (math.pi / 2, 0, 0),
        0.0006,
        style='Sans:bold',
        space=1.1,
    )


def tile(dark=True):
    m = mat('tile', '#2c3033' if dark else '#cfc7ba', 0.5, spec=0.35)
    n = tex(m, 'Noise', Scale=5.0 if dark else 2.2, Detail=12.0, Distortion=0.0 if dark else 1.5)
    ramp(
        m,
        n.outputs['Fac'],
        [(0.3, '#24282b'), (0.7, '#3a3f42')] if dark else [(0.3, '#b7ad9e'), (0.5, '#d8d0c4'), (0.72, '#ece6dc')],
    )
    bump(m, n.outputs['Fac'], 0.3 if dark else 0.05, 0.01)
    rbox(1.78, 1.62, 0.12, 0.025, m, (0, 0, -0.06)).rotation_euler.z = math.radians(8)


def scene(**p):
    tile()
    group(razor, loc=(-0.56, -0.26, 0.083), rot=(68, 0, 29), s=1.48, **p)
    stage(0.8, cam=(0, -5.6, 7.0), tgt=(0, -0.02, -0.02), lens=92, key=400, back=300, fill=0.3, z=-0.12)
    return dict(exposure=0.25)
