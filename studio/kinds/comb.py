"""A comb on a tile."""

from kit import *
from kinds.razor import tile


def comb(L=1.42, m=None, fine=True):
    def spine(x):
        return 0.20 - 0.05 * (2 * x / L) ** 4

    rows = []
    for x in np.linspace(-L / 2, L / 2, 100):
        e = math.sqrt(max(0.0004, 1 - max(0, (abs(x) - L / 2 + 0.06) / 0.06) ** 2))
        z1 = 0.06 + (spine(x) - 0.06) * e
        z0 = 0.06 - 0.04 * e
        t = 0.022 * (0.3 + 0.7 * e)
        rows.append(
            [
                (x, y * t / 0.022, z0 + (z1 - z0) * v)
                for y, v in (
                    (-0.018, 0),
                    (-0.022, 0.15),
                    (-0.022, 0.75),
                    (-0.014, 0.95),
                    (0, 1),
                    (0.014, 0.95),
                    (0.022, 0.75),
                    (0.022, 0.15),
                    (0.018, 0),
                )
            ]
        )
    grid(rows, m, True, True)
    for s in (-1, 1):
        o = grid(
            [
                [
                    (s * (L / 2 - 0.046) + u, w * (0.6 + 0.4 * f), 0.08 - 0.30 * (1 - f))
                    for u, w in rrect(0.062 * (0.55 + 0.45 * f), 0.04, 0.015, 3)
                ]
                for f in (0, 0.02, 0.08, 0.5, 1)
            ],
            m,
            True,
            True,
        )
    x = -L / 2 + 0.095
    while x < L / 2 - 0.09:
        f = fine and x > 0.04
        wd = 0.008 if f else 0.014
        Lz = 0.30 - 0.02 * (abs(2 * x / L)) ** 2
        grid(
            [
                [(x + u, w, 0.08 - Lz * q) for u, w in rrect(max(0.004, wd * 2 * k), max(0.006, 0.034 * k2), 0.003, 2)]
                for q, k, k2 in ((0, 1, 1), (0.6, 0.85, 0.95), (0.9, 0.55, 0.6), (0.985, 0.3, 0.35), (1, 0.12, 0.15))
            ],
            m,
            True,
            True,
        )
        x += 0.0225 if f else 0.038
    return m


def scene(finish='acetate'):
    steel = finish == 'aluminum'
    m = (
        metal('alu', (0.56, 0.57, 0.58, 1), 0.36, 0.05, (1, 1, 60))
        if steel
        else mat('acetate', '#0d0d0f', 0.14, spec=0.55, coat=0.6)
    )

    def whole():
        comb(1.05 if steel else 1.42, m, not steel)
        text(
            'HABERDASH',
            0.062 if steel else 0.058,
            mat('engraved', '#45474a', 0.6) if steel else metal('gold', srgb('#c9a25e'), 0.3),
            (-0.16 if steel else -0.3, -0.0225, 0.145),
            (math.pi / 2, 0, 0),
            0.0006,
            style='Serif:bold',
            space=1.12,
        )

    tile(dark=steel)
    s = 1.42 if steel else 1.18
    group(whole, loc=(-0.03, 0.12, 0.03 * s), rot=(-90 + 4, 0, 24), s=s)
    stage(0.8, cam=(0, -5.6, 7.0), tgt=(0, -0.02, -0.02), lens=92, key=400, back=300, fill=0.3, z=-0.12)
    return dict(exposure=0.25 if steel else 0.1)
