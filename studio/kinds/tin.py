"""A round tin and its lid."""

from kit import *


def lid(body='POMADE', sub='STRONG HOLD', volume='100 ml  ·  3.4 oz', color='#1f3a33', ink='#e6cf9c'):
    """radius 1, .34 high, printed paper on top"""
    alu = metal('alu', (0.80, 0.80, 0.79, 1), 0.28, 0.1, (1, 1, 40))
    o = lathe(
        [
            (0, 0.335),
            (0.90, 0.335),
            (0.93, 0.328),
            (0.965, 0.335),
            (0.99, 0.32),
            (1, 0.30),
            (1, 0.27),
            (0.992, 0.262),
            (0.992, 0.07),
            (1, 0.06),
            (1.012, 0.03),
            (1, 0),
            (0.98, 0),
            (0.97, 0.28),
            (0, 0.30),
        ],
        180,
        alu,
    )
    for i, v in enumerate(o.data.vertices):
        if i // 180 in (7, 8):
            f = 1 + 0.006 * math.sin((i % 180) / 180 * 2 * math.pi * 60)
            v.co.x *= f
            v.co.y *= f
    p = mat('paper', color, 0.5, spec=0.3) if color else metal('bare', (0.74, 0.75, 0.76, 1), 0.34, 0.25, (1, 60, 1))
    lathe([(0, 0.339), (0.895, 0.339), (0.898, 0.336)], 160, p)
    g = mat('print', ink, 0.45, spec=0.3)
    for r, w in ((0.84, 0.008), (0.81, 0.004), (0.545, 0.004)):
        lathe([(r - w, 0.3395), (r - w, 0.3405), (r + w, 0.3405), (r + w, 0.3395)], 160, g)
    ring_text('HABERDASH', 0.665, 0.165, g, 0.3405, 90, 14.5)
    text(body, min(0.225, 1.38 / len(body)), g, (0, 0.06, 0.3405), ext=0.001, space=1.05)
    text(sub, 0.075, g, (0, -0.125, 0.3405), ext=0.001, style='Sans:bold', space=1.25)
    text(volume, 0.062, g, (0, -0.30, 0.3405), ext=0.001, style='Sans', space=1.1)
    for x in (-0.62, 0.62):
        lathe([(0, 0.339), (0.03, 0.3405), (0, 0.3405)], 24, g, (x, 0, 0))
    for a in np.linspace(215, 325, 9):
        lathe(
            [(0, 0.339), (0.018, 0.3405), (0, 0.3405)],
            16,
            g,
            (0.68 * math.cos(math.radians(a)), 0.68 * math.sin(math.radians(a)), 0),
        )


def base(content='#d9b26a'):
    alu = metal('alu2', (0.80, 0.80, 0.79, 1), 0.28, 0.1, (1, 1, 40))
    lathe(
        [
            (0, 0.03),
            (0.9, 0.03),
            (0.95, 0),
            (0.985, 0.03),
            (0.985, 0.40),
            (0.955, 0.41),
            (0.955, 0.62),
            (0.945, 0.635),
            (0.93, 0.63),
            (0.93, 0.06),
            (0, 0.06),
        ],
        180,
        alu,
    )
    # pomade: poured, with a swirl left by a finger
    m = mat('pomade', content, 0.22, spec=0.5, coat=0.5)
    N, L = nt(m)
    b = N['Principled BSDF']
    b.inputs['Subsurface'].default_value = 0.25
    b.inputs['Subsurface Radius'].default_value = (0.2 * K[0], 0.12 * K[0], 0.05 * K[0])
    b.inputs['Subsurface Color'].default_value = srgb(content)
    rows = []
    for r in np.linspace(0, 0.93, 70):
        row = []
        for a in np.linspace(0, 2 * math.pi, 160, endpoint=False):
            x, y = r * math.cos(a), r * math.sin(a)
            t = (a - r * 7.5) / (2 * math.pi)
            s = math.cos(2 * math.pi * t) * 0.045 * sm(0.05, 0.3, r) * sm(0.86, 0.55, r) + 0.02 * math.cos(
                4 * math.pi * t + 1
            ) * sm(0.1, 0.4, r) * sm(0.8, 0.5, r)
            row.append((x, y, 0.545 + s + 0.02 * sm(0.85, 0.93, r) + 0.05 * math.exp(-((r / 0.12) ** 2))))
        rows.append(row)
    grid(rows, m, True)


def scene(content='#d9b26a', **p):
    group(base, loc=(0.38, 0.55, 0), content=content)
    group(lid, loc=(-0.36, -0.75, 0.60), rot=(47, -4, -14), **p)
    stage(1.15, cam=(0, -6.6, 5.0), tgt=(-0.06, 0.02, 0.36), lens=74, key=400, back=220, fill=0.26)
    return dict(exposure=0.3)
