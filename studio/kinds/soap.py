"""A bar of soap on its rack."""

from kit import *


def bar(color='#e3d6b4', fleck='#9a8a5c', w=1.5, d=0.95, h=0.42, body='HABERDASH', sub='OAT & CEDAR'):
    """a moulded bar: rounded, a sunk oval field, raised letters; top at z=h"""
    m = mat('soap' + color, color, 0.42, spec=0.45)
    N, L = nt(m)
    b = N['Principled BSDF']
    b.inputs['Subsurface'].default_value = 0.18
    b.inputs['Subsurface Radius'].default_value = (0.12 * K[0], 0.09 * K[0], 0.05 * K[0])
    b.inputs['Subsurface Color'].default_value = srgb(color)
    v = tex(m, 'Voronoi', Scale=26.0)
    r = ramp(m, v.outputs['Distance'], [(0.055, fleck), (0.085, color)])
    nz = tex(m, 'Noise', Scale=5.0, Detail=5.0)
    bump(m, nz.outputs['Fac'], 0.12, 0.012)
    n = 220
    e = 5.0
    rows = []

    def sup(a, x, y, e):
        c, s = math.cos(a), math.sin(a)
        return math.copysign(abs(c) ** (2 / e), c) * x, math.copysign(abs(s) ** (2 / e), s) * y

    prof = [
        (0.0, 0),
        (0.5, 0),
        (0.86, 0),
        (0.93, 0.012),
        (0.975, 0.06),
        (0.996, 0.14),
        (1, 0.21),
        (0.996, 0.28),
        (0.975, 0.36),
        (0.94, 0.398),
        (0.90, 0.414),
        (0.85, 0.42),
        (0.84, 0.42),
        (0.825, 0.414),
        (0.81, 0.398),
        (0.795, 0.391),
        (0.77, 0.388),
        (0.5, 0.388),
        (0, 0.388),
    ]
    rows = [
        [
            (
                *sup(
                    a,
                    f * w / 2 + 0.0 if f > 0.9 else w / 2 * f * 1.0,
                    d / 2 - (1 - f) * w / 2 * 0.62 if f > 0.45 else d / 2 * f * 0.5,
                    e if f > 0.86 else 5.0,
                ),
                z / 0.42 * h,
            )
            for a in np.linspace(0, 2 * math.pi, n, endpoint=False)
        ]
        for f, z in prof
    ]
    grid(rows, m, True)
    zt = 0.388 / 0.42 * h
    m2 = mat('letters' + color, color, 0.45, spec=0.4)
    text(body, 0.182 * w / 1.5, m2, (0, 0.075, zt), ext=0.014, bev=0.0028, space=1.10)
    text(sub, 0.082 * w / 1.5, m2, (0, -0.13, zt), ext=0.010, bev=0.002, style='Sans:bold', space=1.2)
    rbox(0.5, 0.010, 0.024, 0.004, m2, (0, -0.035, zt))


def dish():
    w = timber('ash', '#8a6a45', '#caa473', (1.2, 9, 9))
    for i in range(6):
        rbox(1.95, 0.15, 0.09, 0.025, w, (0, -0.55 + i * 0.22, 0.115))
    for x in (-0.7, 0.7):
        rbox(0.14, 1.3, 0.08, 0.02, w, (x, 0, 0.04))


def scene(color='#e3d6b4', fleck='#9a8a5c', sub='OAT & CEDAR'):
    def whole():
        group(dish)
        group(bar, loc=(0, 0, 0.16), rot=(0, 0, -6), s=1.12, color=color, fleck=fleck, sub=sub)

    group(whole, rot=(0, 0, 22))
    stage(0.95, cam=(0, -5.4, 6.4), tgt=(0, -0.02, 0.2), lens=82, key=430, back=150, fill=0.24)
    return dict(exposure=0.3)
