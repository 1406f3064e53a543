"""A waistcoat, buttoned, laid flat."""

from kit import *

NECK = (8.4, 71.0)
SHOULDER = (17.0, 67.4)
PIT = (22.6, 43.5)
HIP = (22.4, 9.0)


def scene(
    color='#949698',
    cloth='sharkskin',
    lining='#a9adb2',
    button_color='#8d8f92',
    label=('#efe9da', '#23262c'),
    view='whole',
):
    arm = spline([SHOULDER + ('c',), (15.4, 60), (16.2, 51), (18.8, 46.0), PIT + ('c',)], 10)
    side = spline([PIT + ('c',), (21.6, 34), (20.8, 22), HIP + ('c',)], 10)
    fhem = spline([HIP + ('c',), (16, 3.8), (9.4, -2.2, 'c'), (4.8, 2.2), (0, 7.8, 'c')], 8)
    bhem = spline([HIP + ('c',), (12, 7.0), (0, 6.4)], 8)
    fn = spline([(0, 46.6, 'c'), (3.6, 54), (6.6, 63), NECK + ('c',)], 8)
    bn = spline([(0, 69.2), (4.5, 69.6), NECK + ('c',)], 6)
    g = Garment(
        [(np.array([NECK, SHOULDER]), 'sew'), (arm, 'arm'), (side, 'sew'), (fhem, 'hem')], fn, bn, step=0.045, bhem=bhem
    )

    def pose(V):
        x, y = V[:, 0] / S, V[:, 1] / S
        k = sm(62, 48, y) * sm(2, 8, np.abs(x))
        n1 = field(V, 0.8, 3.3)
        n2 = field(V, 0.8, 9.3)
        V[:, 0] = (x * (1 - 0.015 * sm(60, 40, y)) + n1 * k) * S
        V[:, 1] = (y * 0.988 + 0.6 + n2 * k) * S
        V[:, 2] += 0.045 * (1 + field(V, 1.6, 5)) * sm(64, 52, y)
        return V

    def pin(V):
        x, y = np.abs(V[:, 0] / S), V[:, 1] / S
        w = np.zeros(len(V))
        w[y > 62] = 1
        for q in (PIT, HIP, (20.8, 22), (9.4, -2.2), (0, 7.8), (0, 46.6)):
            w[np.hypot(x - q[0], y - q[1]) < 2] = 1
        w[(x < 2) & (y < 48)] = 1
        return w

    g.sim('waistcoat', pose, pin, frames=28, turb=3.0, bend=1.0, tension=22, selfd=0.015)

    N = map_size(3072)
    T = Tex((-1.45, -0.25), 3.3, N)
    X, Y = T.X / S, T.Y / S
    value, rough = weave(cloth, X, Y)
    base = rgb(color) * value[..., None]
    H = 0.5 + rough
    for curve in (np.r_[mir(fn)[::-1], fn[1:]], arm, mir(arm), fhem, mir(fhem)):
        D, A = T.dist(np.asarray(curve) * S, 2 * S)
        stitch(H, D, A, 0.5 * S, S, 0.3)
    for s in (1, -1):
        D, A = T.dist(spline([(12.0 * s, 40), (11.4 * s, 26), (12.4 * s, 1.5)], 8) * S, 2 * S)
        H -= 0.6 * np.exp(-((D / (0.13 * S)) ** 2))
    C = base * (0.80 + 0.40 * np.clip(H, 0, 0.5))[..., None]
    mf = fabric(
        'front',
        colimg=npimage('c', np.clip(C, 0, 1)),
        heightimg=npimage('h', np.clip(H, -1, 2), True),
        height=0.012,
        weave=520,
        weave_h=0.06,
        kind='plain',
        fuzz=0.03,
        sheen=0.35,
        rough=0.8,
    )
    satin = fabric('satin', color=lining, weave=700, weave_h=0.03, kind='twill', fuzz=0.02, sheen=0.1, rough=0.38)
    satin.node_tree.nodes['Principled BSDF'].inputs['Specular'].default_value = 0.55
    g.build(T, mf, satin, 1, 0.014)
    sf = g.surf()
    # the left front lies over the right
    edge = [(-1.5, 48.6), (-1.5, 30), (-1.5, 12), (-1.5, 6.4)]
    inner_edge = [(2.6, 5.2), (4.2, 12), (4.2, 30), (4.0, 47), (2.4, 50.8)]
    patch(sf, T, edge + inner_edge, mf, lambda x, y: -0.008 + 0.026 * sm(3.6, 0.6, x), 0.012, 0.03)

    def welt(s, x0, x1, y, slant):
        patch(
            sf,
            T,
            [(x0 * s, y), (x1 * s, y + slant), (x1 * s, y + slant + 2.1), (x0 * s, y + 2.1)],
            mf,
            0.014,
            0.013,
            0.025,
        )

    for s in (1, -1):
        welt(s, 8.4, 18.2, 19.0, 1.6)
    b = mat('button', button_color, 0.3, spec=0.5, coat=0.4)
    hole = mat('hole', shade(button_color, 0.35), 0.8)
    for i in range(5):
        p, n = sf.at(0.5 * S, (43.6 - i * 7.6) * S, 0.034)
        button(p, n, 0.85 * S, b, hole, 0.3 * i)
    # the back's neck band
    band = [(-9.6, 68.6), (0, 67.4), (9.6, 68.6), (9.2, 70.4), (0, 70.2), (-9.2, 70.4)]
    v, f = trimesh(resample(np.array(band + band[:1]) * S, 0.05)[:-1], 0.05)
    o = newobj('band', np.c_[v, 0.055 - 0.035 * sm(6.5, 8.5, np.abs(v[:, 0]) / S)], f, T.uv(v), mf)
    finish(o, 1, 0.01)
    woven_label((0, 64.8 * S, 0.06), 4.6, 2.2, -3, *label)
    studio_flat(center=(0, 1.38), height=3.9, key=440, fill=0.28)
    return dict(exposure=0.75, look='Medium High Contrast', cloth=True)
