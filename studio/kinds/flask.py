"""An insulated bottle."""

from kit import *


def flask(color='#2f4a43', ink='#d9d6cd', height=1, volume='750 ml', steel=False):
    """insulated bottle, radius .37, 2.6 high with its lid"""
    if steel:
        p = metal('brushed', (0.66, 0.67, 0.68, 1), 0.3, 0.55, (0.4, 0.4, 60))
    else:
        p = mat('powder', color, 0.48, spec=0.4)
        nz = tex(p, 'Noise', Scale=160.0, Detail=2.0)
        bump(p, nz.outputs['Fac'], 0.35, 0.004)
    top = 1.72 * height
    dz = top - 1.72
    st = metal('steel', (0.78, 0.78, 0.77, 1), 0.24, 0.12, (1, 1, 60))
    R = 0.37
    arc = lambda cx, cz, r, a, b, n=10: [
        (cx + r * math.cos(math.radians(q)), cz + r * math.sin(math.radians(q))) for q in np.linspace(a, b, n)
    ]
    lathe(
        [(0, 0.02), (R - 0.08, 0.02), (R - 0.05, 0)]
        + arc(R - 0.035, 0.035, 0.03, -90, 0)
        + [(R - 0.006, 0.06), (R - 0.006, 0.17), (R - 0.012, 0.18)],
        128,
        st,
    )
    lathe(
        [(R - 0.012, 0.18), (R - 0.002, 0.182), (R, 0.19), (R, 0.6), (R, 1.0), (R, top)]
        + arc(R - 0.30, top, 0.30, 5, 52, 12)
        + [(0.235, 1.975 + dz), (0.228, 1.99 + dz), (0.22, 1.992 + dz)],
        128,
        p,
    )
    lathe([(0.222, 1.985), (0.232, 1.99), (0.232, 2.02), (0.222, 2.03)], 96, st, (0, 0, dz))
    lid = (
        metal('steel lid', (0.7, 0.7, 0.71, 1), 0.28, 0.3, (0.4, 0.4, 60))
        if steel
        else mat('lid', '#191a1a', 0.5, spec=0.4)
    )
    c = lathe(
        [
            (0.22, 2.03),
            (0.262, 2.032),
            (0.272, 2.045),
            (0.272, 2.22),
            (0.262, 2.235),
            (0.24, 2.24),
            (0.235, 2.25),
            (0, 2.25),
        ],
        160,
        lid,
        (0, 0, dz),
    )
    for i, v in enumerate(c.data.vertices):
        if i // 160 in (2, 3):
            f = 1 + 0.010 * math.cos((i % 160) / 160 * 2 * math.pi * 32)
            v.co.x *= f
            v.co.y *= f
    # carry loop: a flat band arching over the lid
    q = spline(
        [
            (x, z + dz)
            for x, z in (
                (-0.245, 2.12),
                (-0.262, 2.26),
                (-0.235, 2.42),
                (-0.13, 2.515),
                (0, 2.535),
                (0.13, 2.515),
                (0.235, 2.42),
                (0.262, 2.26),
                (0.245, 2.12),
            )
        ],
        12,
    )
    pth = Path(q)
    if steel:
        tube([(x, 0, z) for x, z in q[::4]], 0.024, st)
    else:
        grid(
            [
                [(c_[0] + n[0] * u, w, c_[1] + n[1] * u) for u, w in rrect(0.05, 0.17, 0.022, 4)]
                for c_, t, n in (pth.at(s) for s in np.linspace(0, pth.L, 90))
            ],
            lid,
            True,
            True,
        )
    for s in (1, -1):
        o = lathe([(0, 0.012), (0.028, 0.01), (0.034, 0)], 32, st)
        o.rotation_euler = (0, s * math.pi / 2, 0)
        o.location = (s * 0.272, 0, 2.14 + dz)
    ink = mat('laser', ink, 0.4, metal=0.3)
    wrap('HABERDASH', 0.15, R, 1.02 * height, ink, style='Serif:bold', space=1.12, up=True)
    wrap(volume, 0.05, R, 0.30, ink, style='Sans', space=1.15)


def scene(**p):
    group(flask, loc=(0, 0.1, 0), rot=(0, 0, -4), **p)
    stage(1, cam=(0, -8.6, 2.5), tgt=(0, 0.1, 1.26), lens=80, key=380, back=220, fill=0.28)
    return dict(exposure=0.3)
