"""A bow tie, tied by hand, lying on the table. 1 unit = 5 cm."""

from kit import *
from kinds.tie import silk


def wing(s, m, front, seed):
    """one half: a rounded loop in front of (or behind) a flat end"""

    def sheet(L, w0, w1, w2, z0, puff, turn, loop):
        rows = []
        uv = []
        for u in np.linspace(0, 1, 50):
            h = (w0 + (w1 - w0) * sm(0, 0.78, u) + (w2 - w1) * sm(0.74, 1, u)) * (
                1 if not loop else math.sqrt(max(0.02, 1 - max(0, (u - 0.93) / 0.07) ** 2)) * 0.12 + 0.88
            )
            r = []
            q = []
            for v in np.linspace(-1, 1, 41):
                # none at the edge and under the knot, where it would be steep enough for burrs
                fade = (1 - v**4) * sm(0, 0.22, u) * math.exp(-u * 3.2)
                pleat = fade * (0.12 * math.cos(v * 7.5 + seed) + 0.07 * math.cos(v * 13 + 1))
                belly = puff * math.sin(math.pi * min(1, u * 1.06)) ** 0.8 * (1 - 0.45 * v * v)
                n = 0.045 * noise.noise((u * 2.1, v * 1.4, seed * 3.1))
                x, y = 0.05 + u * L, v * h
                a = math.radians(turn)
                x, y = x * math.cos(a) - y * math.sin(a), x * math.sin(a) + y * math.cos(a)
                edge = -0.05 * sm(0, 0.3, u) * max(0, abs(v) - 0.8) / 0.2 * (1 if front else 0.3)
                r.append((s * x, y, max(0.012, z0 + belly + pleat + n + edge)))
                q.append((v * h * 0.5, u * L * 0.5))
            rows.append(r)
            uv.append(q)
        o = grid(rows, m, uv=uv, sub=1)
        t = o.modifiers.new('t', 'SOLIDIFY')
        t.thickness = 0.035
        t.offset = -1

    if front:
        sheet(1.16, 0.17, 0.56, 0.52, 0.10, 0.02, 5 * s * seed % 7 - 3, False)
        sheet(1.04, 0.18, 0.52, 0.50, 0.17, 0.20, -2, True)
    else:
        sheet(1.08, 0.17, 0.52, 0.50, 0.07, 0.10, 3, True)
        sheet(1.20, 0.18, 0.57, 0.54, 0.20, 0.10, -4, False)


def bowtie(color='#141416'):
    m = silk('barathea', 'plain', (color,) * 3, 1.0)
    cloth = m.node_tree.nodes['Principled BSDF'].inputs
    cloth['Roughness'].default_value = 0.58
    cloth['Sheen'].default_value = 0.12
    wing(-1, m, True, 1)
    wing(1, m, False, 2)
    # the knot: a wrapped, slightly waisted block
    rows = []
    uv = []
    for v in np.linspace(-1, 1, 36):
        h = 0.29 * (max(0.05, 1 - abs(v) ** 8)) ** 0.3 + 0 * v
        r = []
        q = []
        for a in np.linspace(-1, 1, 31):
            z = (
                0.05
                + 0.36 * (max(0, 1 - abs(a) ** 3)) ** 0.5 * (max(0.0, 1 - abs(v) ** 4)) ** 0.5
                + 0.022 * math.sin(a * 6 + v * 2)
            )
            r.append((a * (0.20 + 0.025 * v * v) + 0.02 * v, v * h * 0.92, z))
            q.append((a * 0.1, v * 0.15))
        rows.append(r)
        uv.append(q)
    grid(rows, m, uv=uv, sub=1)
    # the neck band, standing on its edge behind
    t = np.linspace(math.radians(-62), math.radians(242), 40)
    P = [(1.02 * math.cos(a), 0.98 + 1.0 * math.sin(a) * 0.92, 0.17) for a in t]
    ribbon([(0.12, 0.02, 0.12)] + P + [(-0.12, 0.02, 0.12)], 0.30, 0.035, m, (0, 0, 1), 160)


def scene(**p):
    group(bowtie, loc=(0, -0.30, 0), rot=(0, 0, -8), s=1.0, **p)
    stage(1, cam=(0, -5.2, 6.6), tgt=(0, 0.34, 0.1), lens=66, key=430, back=260, fill=0.34)
    return dict(exposure=0.15)
