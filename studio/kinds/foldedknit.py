"""One sweater folded to a rectangle, its collar on top."""

from kit import *
from kinds.stack import knit, folded


def sweater(color='#b07f24', gauge=0.030, t=0.15, rib_color=None, label=('#f1ece2', '#23262c')):
    m = knit('stocking', color, gauge)
    rib = knit('rib', rib_color or shade(color, 0.96), gauge, rib=2)
    h = [0]
    group(lambda: h.__setitem__(0, folded(m, w=2.7, d=3.0, t=t, seed=3)))
    z = h[0] - 0.03
    # the neck: a ribbed oval band, the inside of the back seen through it
    cx, cy, rx, ry = 0, 0.55, 0.80, 0.50
    T_ = np.linspace(0, 2 * math.pi, 200)
    rows = []
    uv = []
    for v in np.linspace(0, 1, 16):
        w = 0.27
        hgt = 0.075 * math.sin(math.pi * v) ** 0.7
        f = 1 + (v - 0.5) * w / 0.65
        rows.append(
            [
                (
                    cx + rx * f * math.cos(a),
                    cy + ry * (1 + (v - 0.5) * w / 0.45) * math.sin(a) - 0.10 * (math.sin(a) < 0) * math.sin(a) ** 2,
                    z + 0.02 + hgt + 0.012 * noise.noise((math.cos(a) * 2, math.sin(a) * 2, 4)),
                )
                for a in T_
            ]
        )
        uv.append([(a * 0.66, v * w) for a in T_])
    grid(rows, rib, uv=uv, sub=1)
    inner = [
        [
            (
                cx + rx * 0.86 * f * math.cos(a),
                cy + ry * 0.76 * f * math.sin(a) - 0.09 * (math.sin(a) < 0) * math.sin(a) ** 2,
                z + 0.066 - 0.01 * f,
            )
            for a in T_
        ]
        for f in np.linspace(0.001, 1, 12)
    ]
    grid(inner, knit('inside', shade(color, 0.62), gauge), uv=[[(p[0], p[1]) for p in r] for r in inner])
    woven_label((cx, cy + 0.16, z + 0.074), 11, 4.6, -4, *label)


def scene(view='whole', **p):
    group(sweater, rot=(0, 0, -20), **p)
    if view == 'near':
        stage(1.25, cam=(0, -6.2, 5.6), tgt=(0.1, 0.2, 0.55), lens=190, key=360, back=120, fill=0.22)
    else:
        stage(1.25, cam=(0, -6.6, 5.2), tgt=(0, 0.05, 0.34), lens=68, key=350, back=120, fill=0.22)
    return dict(exposure=0.35, look='Medium High Contrast', cloth=True)
