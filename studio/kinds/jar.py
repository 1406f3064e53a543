"""A jar of shaving cream."""

from kit import *


def jar(body='#20489b', glassy=True, lid='aluminum', scent='MENTHOL', volume='150 ml', label=True, ink='#26241f'):
    """a low wide jar with a screw lid; 1 unit = 7 cm, radius .62"""
    R = 0.62
    arc = lambda cx, cz, r, a0, a1, n=10: [
        (cx + r * math.cos(math.radians(a)), cz + r * math.sin(math.radians(a))) for a in np.linspace(a0, a1, n)
    ]
    outer = (
        [(0, 0.02), (R - 0.16, 0.02), (R - 0.10, 0)]
        + arc(R - 0.07, 0.07, 0.07, -90, 0)
        + [(R, 0.2), (R, 0.4), (R, 0.62)]
        + arc(R - 0.10, 0.62, 0.10, 0, 75)
        + [(R - 0.085, 0.73)]
    )
    if glassy:
        c = [int(body[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        g = mat('cobalt', body, 0.04, spec=0.6, coat=0.8)
        N, L = nt(g)
        b = N['Principled BSDF']
        b.inputs['Transmission'].default_value = 0.25
        lathe(outer + [(0, 0.73)], 160, g)
    else:
        g = mat('stoneware', body, 0.62, spec=0.3)
        n = tex(g, 'Noise', Scale=90.0, Detail=4.0)
        ramp(g, n.outputs['Fac'], [(0.3, shade(body, 0.93)), (0.55, body), (0.75, shade(body, 1.04))])
        bump(g, n.outputs['Fac'], 0.2, 0.005)
        lathe(outer + [(0, 0.73)], 160, g)
    m = metal('lid', (0.76, 0.77, 0.78, 1), 0.3, 0.2, (1, 1, 60)) if lid == 'aluminum' else g
    o = lathe(
        [
            (R - 0.09, 0.735),
            (R - 0.005, 0.735),
            (R + 0.005, 0.745),
            (R + 0.005, 0.755),
            (R - 0.002, 0.765),
            (R - 0.002, 1.0),
            (R - 0.012, 1.03),
            (R - 0.04, 1.045),
            (R - 0.10, 1.048),
            (R - 0.11, 1.042),
            (0, 1.042),
        ],
        240,
        m,
    )
    for i, v in enumerate(o.data.vertices):
        if i // 240 in (4, 5):
            f = 1 + 0.007 * math.sin((i % 240) / 240 * 2 * math.pi * 80)
            v.co.x *= f
            v.co.y *= f
    text(
        'H',
        0.34,
        mat('lidprint', shade(body, 0.55) if lid != 'aluminum' else '#55585c', 0.5),
        (0, 0, 1.0435),
        ext=0.0008,
    )
    q = R + 0.004
    if label:
        paper = mat('paper', '#efe8da', 0.65, spec=0.2)
        a = np.linspace(-1.0, 1.0, 60) - math.pi / 2
        newobj(
            'label',
            [(q * math.cos(x), q * math.sin(x), z) for z in (0.10, 0.60) for x in a],
            [(i, i + 1, 61 + i, 60 + i) for i in range(59)],
            None,
            paper,
        )
        q += 0.001
    i = mat('print', ink, 0.6)
    wrap('HABERDASH', 0.092, q, 0.50, i, 0.0006, 'Serif:bold', 1.1)
    wrap('Shaving Cream', 0.105, q, 0.355, i, 0.0006, 'Serif:italic', 1.0)
    wrap(scent, 0.046, q, 0.245, i, 0.0006, 'Sans', 1.25)
    wrap(volume, 0.040, q, 0.16, i, 0.0006, 'Sans', 1.15)


def scene(**p):
    group(jar, rot=(0, 0, 4), **p)
    stage(0.8, cam=(0, -7.6, 3.9), tgt=(0, 0, 0.56), lens=80, key=400, back=220, fill=0.3)
    return dict(exposure=0.3, bounces=10)
