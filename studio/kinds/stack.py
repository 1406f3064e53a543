"""Folded garments, and the cloths they are made of."""

from kit import *


def knit(name, color, gauge=0.034, rib=0, depth=0.012, var=0.07, marl=None):
    """stitches drawn as a tile of V's; UV in units (1 = 10 cm)"""
    n = 128
    y, x = np.mgrid[0:n, 0:n] / n
    H = np.zeros((n, n))
    for cx, sg in ((0.27, 1), (0.73, -1)):
        for oy in (-1, 0, 1):
            u = x - cx
            v = y - 0.5 - oy
            a = math.radians(30) * sg
            p = u * math.cos(a) + v * math.sin(a) * 0.8
            q = -u * math.sin(a) + v * math.cos(a)
            H = np.maximum(H, np.clip(1 - (p / 0.21) ** 2 - (q / 0.66) ** 2, 0, 1) ** 0.5)
    if rib:
        H = np.concatenate([H] * rib + [H * 0.25] * max(1, rib - 1), 1)
    hi = npimage(name + 'h', H, True)
    nx = H.shape[1] / n
    m = mat(name, color, 0.9, sheen=0.5, spec=0.12)
    N, L = nt(m)
    tc = N.new('ShaderNodeTexCoord')
    mp = N.new('ShaderNodeMapping')
    mp.inputs['Scale'].default_value = (1 / (gauge * nx), 1 / (gauge * 0.8), 1)
    L.new(tc.outputs['UV'], mp.inputs[0])
    t = N.new('ShaderNodeTexImage')
    t.image = hi
    t.interpolation = 'Cubic'
    L.new(mp.outputs[0], t.inputs[0])
    nz = tex(m, 'Noise', coord='UV', Scale=60.0, Detail=4.0)
    mr = N.new('ShaderNodeMapRange')
    mr.inputs[3].default_value = 1 - var * 2
    mr.inputs[4].default_value = 1 + var * 2
    L.new(nz.outputs['Fac'], mr.inputs[0])
    ml = N.new('ShaderNodeMapRange')
    ml.inputs[3].default_value = 0.50
    ml.inputs[4].default_value = 1.06
    L.new(t.outputs[0], ml.inputs[0])
    mu = N.new('ShaderNodeMath')
    mu.operation = 'MULTIPLY'
    L.new(mr.outputs[0], mu.inputs[0])
    L.new(ml.outputs[0], mu.inputs[1])
    hv = N.new('ShaderNodeHueSaturation')
    hv.inputs['Color'].default_value = srgb(color)
    L.new(mu.outputs[0], hv.inputs['Value'])
    L.new(hv.outputs[0], N['Principled BSDF'].inputs['Base Color'])
    b = bump(m, t.outputs[0], 0.75, depth)
    nf = tex(m, 'Noise', coord='UV', Scale=220.0, Detail=3.0)
    bump(m, nf.outputs['Fac'], 0.25, 0.006, b)
    return m


def weave(name, color, stripe=None, pitch=0.09):
    """shirting: fine weave, optional stripe across the width"""
    m = mat(name, color, 0.8, sheen=0.15, spec=0.18)
    N, L = nt(m)
    if stripe:
        n = 64
        im = np.zeros((4, n, 3))
        im[:] = np.array(srgb(color)[:3]) ** (1 / 2.2)
        im[:, : int(n * 0.3)] = np.array(srgb(stripe)[:3]) ** (1 / 2.2)
        t = N.new('ShaderNodeTexImage')
        t.image = npimage(name + 'c', im)
        tc = N.new('ShaderNodeTexCoord')
        mp = N.new('ShaderNodeMapping')
        mp.inputs['Scale'].default_value = (1 / pitch, 1, 1)
        L.new(tc.outputs['UV'], mp.inputs[0])
        L.new(mp.outputs[0], t.inputs[0])
        L.new(t.outputs[0], N['Principled BSDF'].inputs['Base Color'])
    nz = tex(m, 'Noise', coord='UV', Scale=120.0, Detail=4.0)
    b = bump(m, nz.outputs['Fac'], 0.15, 0.006)
    return m


def folded(m, w=2.3, d=2.7, t=0.085, seed=1, z0=0, edge=None, soft=1.0):
    """a garment folded twice: two nested sheets turning at the front; returns its height"""
    H = 4 * t

    def sheet(r, inset, sd):
        back = d / 2 - inset
        front = -d / 2 + 2 * t
        P = (
            [(back - b, 2 * t - r) for b in np.linspace(0, back - front, 34)]
            + [(front - r * 1.12 * math.sin(a), 2 * t - r * math.cos(a)) for a in np.linspace(0, math.pi, 22)[1:-1]]
            + [(front + b, 2 * t + r) for b in np.linspace(0, back - front, 34)]
        )
        p = Path(P)
        rows = []
        uv = []
        n = 64
        hh = t * 0.5
        endf = lambda q: math.sqrt(max(0.02, 1 - (1 - min(1, q / (hh * 1.5))) ** 2))
        for sv in np.r_[
            np.linspace(0, 0.08, 6)[:-1], np.linspace(0.08, p.L - 0.08, 104), np.linspace(p.L - 0.08, p.L, 6)[1:]
        ]:
            c, tt, nn = p.at(sv)
            up = (c[1] - 2 * t) / max(r, 1e-6)
            wv = 0.035 * noise.noise((sv * 0.9, sd * 3.1, 1)) + 0.012 * noise.noise((sv * 4, sd * 3.1, 8))
            wl = 0.035 * noise.noise((sv * 0.9, sd * 5.7, 4)) + 0.012 * noise.noise((sv * 4, sd * 3.1, 3))
            R_ = w / 2 - inset * 0.4 + wv
            L_ = -w / 2 + inset * 0.4 + wl
            cr = 0.15
            q = min(sv, p.L - sv)
            cut = cr * (1 - math.sqrt(max(0, 1 - (1 - min(1, q / cr)) ** 2)))
            R_ -= cut
            L_ += cut
            row = []
            u = []
            N_ = 40
            ring = [(f, 1) for f in np.linspace(0, 1, N_)] + [(f, -1) for f in np.linspace(1, 0, N_)]
            for f, s in ring:
                x = L_ + (R_ - L_) * f
                ed = min(f, 1 - f) * (R_ - L_) / (hh * 1.6)
                e = math.sqrt(max(0, 1 - (1 - min(1, ed)) ** 2)) * endf(min(sv, p.L - sv))
                o = -s * hh * 0.96 * e
                y, z = c + nn * o
                fr = sm(0.55, 0, y + d / 2)
                k = z / H
                z = (
                    z
                    + soft
                    * k
                    * (
                        0.055 * noise.noise((x * 0.9, y * 0.9, sd + seed * 7))
                        + 0.030 * noise.noise((x * 2.3, y * 2.0, seed * 3 + sd * 0.2))
                    )
                    - k * 0.05 * sm(0.35, 0, min(f, 1 - f) * (R_ - L_)) * soft
                )
                y = y + fr * (
                    0.030 * noise.noise((x * 1.3, z * 2, seed * 5.5)) + 0.014 * noise.noise((x * 4, z * 3, seed))
                )
                row.append((x, y, z + z0))
                u.append((x + 7 * s, sv + o * 0.3))
            rows.append(row)
            uv.append(u)
        grid(rows, m, True, True, uv)

    sheet(1.5 * t, 0, seed + 0.3)
    sheet(0.5 * t, 0.05, seed + 0.7)
    return H


def label(z, x=-0.75, y=-1.0, rot=4, w=0.46):
    rbox(w, 0.17, 0.012, 0.004, mat('lab', '#f3ecdf', 0.75), (x, y, z), 2, (0, 0, math.radians(rot)))
    text(
        'HABERDASH',
        w * 0.135,
        mat('ink', '#22201c', 0.8),
        (x, y, z + 0.008),
        (0, 0, math.radians(rot)),
        0.0012,
        space=1.08,
    )


def stack(items=None):
    z = 0
    rng = random.Random(4)
    for i, (kind, col, t, kw) in enumerate(
        items
        or (
            ('knit', '#2a3a55', 0.105, dict(gauge=0.042)),
            ('knit', '#8d8a83', 0.095, dict(gauge=0.03)),
            ('knit', '#d9cdb6', 0.115, dict(gauge=0.05, rib=2, depth=0.02)),
            ('knit', '#5d2a2c', 0.085, dict(gauge=0.03)),
        )
    ):
        m = knit('k%d' % i, col, **kw) if kind == 'knit' else weave('k%d' % i, col, **kw)
        K_ = dict(loc=(rng.uniform(-0.04, 0.04), rng.uniform(-0.04, 0.04), z), rot=(0, 0, rng.uniform(-2.2, 2.2)))
        h = [0]
        group(lambda: h.__setitem__(0, folded(m, w=2.3 + rng.uniform(-0.08, 0.06), t=t, seed=i + 2)), **K_)
        z += 4 * t + 0.004
    return z


def scene(items=None):
    group(lambda: stack(items), rot=(0, 0, -24))
    stage(1.25, cam=(0, -7.6, 3.9), tgt=(-0.03, 0, 0.62), lens=74, key=330, back=120, fill=0.22)
    return dict(exposure=0.35, look='Medium High Contrast', cloth=True)
