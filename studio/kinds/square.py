"""A pocket square folded in four, one corner turned up. 1 unit = 5 cm."""

from kit import *


def cloth(name, color, border=None, dots=None):
    """the silk as a printed quarter: the open sides are at u = 1 and v = 0"""
    n = map_size(2400)
    v, u = np.mgrid[0:n, 0:n] / n
    im = np.empty((n, n, 3))
    im[:] = rgb(color)
    if dots:
        p = 1 / 9.0
        a = np.hypot((u / p) % 1 - 0.5, (v / p) % 1 - 0.5)
        b = np.hypot((u / p + 0.5) % 1 - 0.5, (v / p + 0.5) % 1 - 0.5)
        m = sm(0.20, 0.16, np.minimum(a, b))[..., None]
        im = im * (1 - m) + rgb(dots) * m
    if border:
        m = sm(0.068, 0.072, np.minimum(1 - u, v))[..., None]
        im = rgb(border) * (1 - m) + im * m
    twill = 0.5 + 0.5 * np.sin(2 * np.pi * (u + v) * 170)
    im = im * (0.95 + 0.07 * twill)[..., None]
    m = mat(name, color, 0.55, sheen=0.45, spec=0.3)
    N, L = nt(m)
    tc = N.new('ShaderNodeTexCoord')
    t = N.new('ShaderNodeTexImage')
    t.image = npimage(name, im)
    L.new(tc.outputs['UV'], t.inputs[0])
    L.new(t.outputs[0], N['Principled BSDF'].inputs['Base Color'])
    nz = tex(m, 'Noise', coord='UV', Scale=420.0, Detail=2.0)
    bump(m, nz.outputs['Fac'], 0.12, 0.004)
    return m


def square(color='#b8892a', border=None, dots=None):
    m = cloth('square', color, border, dots)
    edge = mat('rolled edge', border or shade(color, 0.92), 0.5, sheen=0.3)
    W = 2.1
    n = 110

    def layer(i, z, curl):
        rng = np.random.RandomState(i)
        inset = 0.03 * i
        rows = []
        uv = []
        for b in np.linspace(0, 1, n):
            r = []
            q = []
            for a in np.linspace(0, 1, n):
                x, y = (a - 0.5) * (W - inset), (b - 0.5) * (W - inset) + inset * 0.4
                x += 0.035 * noise.noise((b * 2.2, i * 3.1, 1))
                y += 0.035 * noise.noise((a * 2.2, i * 3.1, 5))
                h = z + (0.11 + 0.03 * i) * (
                    noise.noise((x * 0.8, y * 0.8, i * 0.6 + 2)) * 0.6
                    + 0.35 * noise.noise((x * 1.9, y * 1.9, i * 0.6 + 8))
                    + 0.25
                ) * sm(0, 0.22, min(a, 1 - b) + 0.02)
                h -= z * 0.55 * (1 - sm(0, 0.07, min(a, 1 - b)))  # the folded sides close on each other
                if curl:  # beyond the diagonal the corner rolls back on a cylinder
                    d = ((a - b) - 0.52) * W / math.sqrt(2)
                    R = 0.26
                    if d > 0:
                        t = min(d / R, 2.5)
                        over = max(0, d - 2.5 * R)
                        back = R * math.sin(t) + over * math.cos(2.5) - d
                        h += R * (1 - math.cos(t)) + over * math.sin(2.5)
                        x += back / math.sqrt(2)
                        y -= back / math.sqrt(2)
                r.append((x, y, max(0.012, h)))
                q.append((a, b))
            rows.append(r)
            uv.append(q)
        o = grid(rows, m, uv=uv, sub=1)
        s = o.modifiers.new('t', 'SOLIDIFY')
        s.thickness = 0.018
        s.offset = 0
        tube([rows[0][k] for k in range(0, n, 2)] + [rows[k][-1] for k in range(1, n, 2)], 0.020, edge)

    for i in range(4):
        layer(3 - i, 0.03 + 0.055 * i, i == 3)


def scene(**p):
    group(square, rot=(0, 0, 14), **p)
    stage(0.95, cam=(0, -4.8, 7.0), tgt=(0, 0.0, 0.05), lens=66, key=440, back=200, fill=0.26)
    return dict(exposure=0.35, look='Medium High Contrast', cloth=True)
