"""A pipette bottle of beard oil on a board."""

from kit import *


def arc(cx, cz, r, a0, a1, n=8):
    return [(cx + r * math.cos(math.radians(a)), cz + r * math.sin(math.radians(a))) for a in np.linspace(a0, a1, n)]


def bottle(
    title='Beard Oil',
    scent='CEDAR & BERGAMOT',
    volume='50 ml  ·  1.7 fl oz',
    glass_color=(0.97, 0.70, 0.26),
    oil=(0.95, 0.66, 0.20),
):
    """amber dropper bottle, radius .52, 2.17 high"""
    R = 0.52
    out = (
        [(0, 0.03), (0.30, 0.03), (0.36, 0)]
        + arc(R - 0.09, 0.09, 0.09, -90, 0)
        + [(R, 0.3), (R, 0.7), (R, 1.16)]
        + arc(R - 0.2, 1.16, 0.2, 0, 72)
        + [(0.30, 1.375), (0.235, 1.41), (0.225, 1.5), (0.225, 1.62)]
    )
    inn = (
        [(0.19, 1.62), (0.19, 1.42), (0.25, 1.35)]
        + arc(R - 0.22, 1.14, 0.16, 72, 0)
        + [(R - 0.055, 0.7), (R - 0.055, 0.2)]
        + arc(R - 0.13, 0.16, 0.075, 0, -90)
        + [(0, 0.085)]
    )
    lathe(out + inn, 128, glass('bottle', (*glass_color, 1), (*[0.25 + 0.7 * c for c in glass_color], 1)))
    lathe(
        [(0, 0.09)] + arc(R - 0.135, 0.165, 0.07, -90, 0) + [(R - 0.06, 0.7), (R - 0.06, 1.08), (0, 1.08)],
        96,
        glass('oil', (*oil, 1), (*[0.3 + 0.6 * c for c in oil], 1), 1.47),
    )
    # the paper label: a curved strip, its print bent round the glass
    paper = mat('paper', '#efe8da', 0.65, spec=0.2)
    ink = mat('ink', '#26241f', 0.6)
    n = 60
    a = np.linspace(-math.pi / 2 - 1.02, -math.pi / 2 + 1.02, n)
    q = R + 0.006
    V = [(q * math.cos(x), q * math.sin(x), z) for z in (0.26, 1.02) for x in a]
    newobj('label', V, [(i, i + 1, n + i + 1, n + i) for i in range(n - 1)], None, paper)
    for z0, z1, a0, a1 in ((0.282, 0.285, -0.98, 0.98), (0.995, 0.998, -0.98, 0.98), (0.778, 0.7805, -0.22, 0.22)):
        t = np.linspace(a0, a1, 40) - math.pi / 2
        newobj(
            'rule',
            [((q + 0.001) * math.cos(x), (q + 0.001) * math.sin(x), z) for z in (z0, z1) for x in t],
            [(i, i + 1, 41 + i - 0, 40 + i) for i in range(39)],
            None,
            ink,
        )
    for s in (-0.98, 0.98):
        t = [s - 0.003 - math.pi / 2, s + 0.003 - math.pi / 2]
        newobj(
            'rule',
            [((q + 0.001) * math.cos(x), (q + 0.001) * math.sin(x), z) for z in (0.282, 0.998) for x in t],
            [(0, 1, 3, 2)],
            None,
            ink,
        )
    wrap('HABERDASH', 0.098, q, 0.845, ink, 0.0005, 'Serif:bold', 1.1)
    wrap(title, 0.115, q, 0.655, ink, 0.0005, 'Serif:italic', 1.0)
    wrap(scent, 0.048, q, 0.535, ink, 0.0005, 'Sans', 1.25)
    wrap(volume, 0.042, q, 0.37, ink, 0.0005, 'Sans', 1.15)
    c = lathe(
        [(0.20, 1.44), (0.285, 1.44), (0.295, 1.45), (0.295, 1.70), (0.285, 1.715), (0.17, 1.725)],
        180,
        mat('black', '#141414', 0.38, spec=0.4),
    )
    for i, v in enumerate(c.data.vertices):
        if i // 180 in (2, 3):
            f = 1 + 0.012 * math.sin((i % 180) / 180 * 2 * math.pi * 45)
            v.co.x *= f
            v.co.y *= f
    lathe([(0.30, 1.445), (0.304, 1.45), (0.304, 1.475), (0.30, 1.48)], 96, metal('gold', srgb('#b98d4f'), 0.25))
    lathe(
        [(0.165, 1.72), (0.165, 1.78), (0.15, 1.80), (0.16, 1.84), (0.17, 1.95), (0.168, 2.06)]
        + arc(0.06, 2.06, 0.108, 0, 90)
        + [(0, 2.168)],
        96,
        mat('rub', '#1b1a19', 0.55, spec=0.35),
    )
    lathe([(0.05, 0.25), (0.05, 1.6)], 32, mat('pip', (0.95, 0.95, 0.95, 1), 0.0, trans=1, ior=1.45))


def scene(**p):
    group(bottle, **p)
    rbox(1.9, 1.5, 0.16, 0.03, timber('walnut', '#4b2f1b', '#a9794b'), (0, 0.1, -0.08)).rotation_euler.z = 0.22
    stage(1, cam=(0, -8.5, 2.75), tgt=(0, 0, 0.94), lens=88, key=380, back=160, fill=0.32, z=-0.16)
    return dict(exposure=0.35, bounces=14)
