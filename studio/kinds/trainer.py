"""Low shoes on a rubber or foam sole: suede and court sneakers, running shoes. 1 unit = 10 cm."""

from kit import *
from kinds.derby import cr, side, twin, NT, NV, TH

k = 0.1
# five curves from heel to toe in cm: x, half-width, height (see derby.py)
B = [
    (0.5, 0, 2.3),
    (1.1, 2.4, 2.3),
    (4, 3.3, 2.3),
    (9, 3.25, 2.3),
    (14, 3.4, 2.3),
    (18, 4.15, 2.3),
    (22, 4.85, 2.3),
    (25.8, 4.75, 2.4),
    (28.4, 3.6, 2.5),
    (29.7, 1.8, 2.6),
    (30, 0, 2.6),
]
M1 = [
    (0.0, 0, 4.8),
    (0.7, 2.6, 4.8),
    (3.4, 3.5, 4.8),
    (8, 3.45, 4.6),
    (13, 3.6, 4.5),
    (18, 4.25, 4.3),
    (22, 4.75, 4.0),
    (25.7, 4.45, 3.85),
    (28.0, 3.25, 3.75),
    (29.1, 1.6, 3.75),
    (29.4, 0, 3.75),
]
M2 = [
    (0.3, 0, 7.4),
    (1.0, 2.2, 7.3),
    (3.4, 3.0, 6.9),
    (7.4, 3.1, 6.7),
    (11.4, 3.15, 7.2),
    (15.5, 3.2, 6.5),
    (19.5, 3.4, 5.7),
    (23.0, 3.3, 5.15),
    (25.8, 2.6, 4.8),
    (27.5, 1.5, 4.55),
    (28.0, 0, 4.5),
]
T = [
    (0.75, 0, 9.6),
    (1.6, 1.7, 9.2),
    (4.2, 2.4, 8.0),
    (7.4, 2.45, 7.9),
    (10.2, 2.05, 9.3),
    (13.8, 1.45, 8.4),
    (17.4, 1.05, 7.1),
    (21.0, 0, 5.95),
    (23.6, 0, 5.45),
    (25.3, 0, 5.1),
    (26.4, 0, 4.9),
]


def paint(U, V, style, colors):
    """panels in (t, v): height, grooves, thread, colour"""
    H = np.zeros_like(U)
    G = np.zeros_like(U)
    th = np.zeros_like(U)
    C = np.empty(U.shape + (3,))
    C[:] = rgb(colors['upper'])

    def dist(curve, ax=2.7):
        D = np.full(U.shape, 9.0)
        A = np.zeros_like(U)
        L = 0
        for a, b in zip(curve[:-1], curve[1:]):
            ab = (b - a) * [ax, 1]
            l = np.linalg.norm(ab)
            px = (U - a[0]) * ax
            py = V - a[1]
            t = np.clip((px * ab[0] + py * ab[1]) / l / l, 0, 1)
            q = np.hypot(px - t * ab[0], py - t * ab[1])
            m = q < D
            D[m] = q[m]
            A[m] = (L + t * l)[m]
            L += l
        return D, A

    def panel(curve, close, color=None, rows=(0.03, 0.052), h=0.016):
        nonlocal H, G, th
        m = inside(np.r_[curve, close], np.c_[U.ravel(), V.ravel()]).reshape(U.shape)
        D, A = dist(curve)
        H += h * np.where(m, sm(0, 0.02, D), 0)
        G -= 0.55 * np.exp(-((D / 0.010) ** 2)) * (~m)
        for o in rows:
            th += m * np.exp(-(((D - o) / 0.0055) ** 2)) * (np.sin(2 * np.pi * A / 0.026) > -0.35)
            G -= m * 0.35 * np.exp(-(((D - o) / 0.009) ** 2))
        if color:
            C[m] = rgb(color)
        return m

    heel = spline([(0.225, -0.05), (0.222, 0.30), (0.205, 0.62), (0.165, 1.05)], 12)
    stay = spline(
        [(0.335, 1.06), (0.355, 0.86), (0.43, 0.715), (0.53, 0.66), (0.62, 0.68), (0.688, 0.80), (0.690, 1.02)], 12
    )
    if style == 'runner':
        for i in range(6):  # fine printed lines, leaning back
            x = 0.33 + i * 0.042
            panel(
                spline([(x + 0.07, -0.05), (x + 0.03, 0.35), (x - 0.03, 0.66)], 10),
                np.array([(x - 0.015, 0.66), (x + 0.045, 0.35), (x + 0.085, -0.05)]),
                colors['overlay'],
                (),
                0.008,
            )
        panel(
            spline([(0.70, -0.05), (0.73, 0.28), (0.80, 0.45), (0.90, 0.52), (1.05, 0.54)], 12),
            np.array([(1.2, 0.5), (1.2, -0.05)]),
            colors['overlay'],
            (0.03,),
            0.010,
        )
    else:
        panel(
            spline([(0.655, -0.05), (0.685, 0.30), (0.735, 0.55), (0.82, 0.70), (0.92, 0.76), (1.05, 0.78)], 12),
            np.array([(1.2, 0.7), (1.2, -0.05)]),
            colors.get('toe'),
        )
        q = spline([(0.30, -0.05), (0.325, 0.4), (0.352, 0.88)], 10)
        D, A = dist(q)
        G -= 0.5 * np.exp(-((D / 0.008) ** 2))
        for o in (0.025,):
            th += np.exp(-(((D - o) / 0.0055) ** 2)) * (np.sin(2 * np.pi * A / 0.026) > -0.35) * (V < 0.88)
    panel(heel, np.array([(-0.1, 1.05), (-0.1, -0.05)]), colors.get('heel', colors['upper']))
    panel(stay, np.array([(0.69, 1.2), (0.335, 1.2)]), colors.get('stay', colors['upper']))
    d = np.abs(V - 0.955)
    m = U < 0.36
    th += m * np.exp(-((d / 0.0065) ** 2)) * (np.sin(2 * np.pi * U * 2.7 / 0.026) > -0.35)
    H -= 0.02 * sm(0.985, 1, V) * (U < 0.66)
    return H, G, np.clip(th, 0, 1), C


def material(name, finish, colors, style):
    n = map_size(1800)
    V, U = np.mgrid[0:n, 0:n] / (n - 1)
    H, G, th, C = paint(U, V, style, colors)
    bumpy = 0.5 + G * 0.5 + th * 0.22
    stitch_c = rgb(colors.get('thread', shade(colors['upper'], 0.8)))
    if finish == 'mesh':
        p = 0.0105
        u = U * 2.7 / p
        v = V / p + 0.5 * (np.floor(u) % 2)
        d = np.hypot(u - np.floor(u) - 0.5, v - np.floor(v) - 0.5)
        holes = sm(0.18, 0.36, d)
        plain = np.abs(C - rgb(colors['upper'])).sum(2) < 1e-6
        C = np.where(plain[..., None], C * (0.55 + 0.45 * holes)[..., None], C)
        bumpy = bumpy + np.where(plain, 0.35 * (holes - 0.8), 0)
    C = C * (1 - 0.35 * np.clip(-G, 0, 1))[..., None]
    C = C + (stitch_c - C) * (th * 0.85)[..., None]
    m = mat(
        name,
        colors['upper'],
        0.85 if finish != 'leather' else 0.42,
        sheen=0.6 if finish == 'suede' else 0.1,
        spec=0.2 if finish != 'leather' else 0.4,
    )
    N, L = nt(m)
    P = N['Principled BSDF']
    tc = N.new('ShaderNodeTexCoord')
    ti = N.new('ShaderNodeTexImage')
    ti.image = npimage(name + 'c', np.clip(C, 0, 1))
    L.new(tc.outputs['UV'], ti.inputs[0])
    nz = tex(m, 'Noise', Scale=7.0 if finish == 'suede' else 3.0, Detail=8.0)
    mr = N.new('ShaderNodeMapRange')
    mr.inputs[1].default_value = 0.3
    mr.inputs[2].default_value = 0.7
    mr.inputs[3].default_value = 0.80 if finish == 'suede' else 0.94
    mr.inputs[4].default_value = 1.16 if finish == 'suede' else 1.05
    hv = N.new('ShaderNodeHueSaturation')
    L.new(nz.outputs['Fac'], mr.inputs[0])
    L.new(mr.outputs[0], hv.inputs['Value'])
    L.new(ti.outputs[0], hv.inputs['Color'])
    L.new(hv.outputs[0], P.inputs['Base Color'])
    fine = tex(m, 'Noise', Scale=180.0 if finish == 'suede' else 120.0, Detail=4.0)
    b = bump(m, fine.outputs['Fac'], 0.45 if finish == 'suede' else 0.12, 0.006)
    t2 = N.new('ShaderNodeTexImage')
    t2.image = npimage(name + 'h', np.clip(bumpy, 0, 1.5), True)
    t2.interpolation = 'Cubic'
    L.new(tc.outputs['UV'], t2.inputs[0])
    b2 = N.new('ShaderNodeBump')
    b2.inputs['Distance'].default_value = 0.022 * K[0]
    L.new(t2.outputs[0], b2.inputs['Height'])
    L.new(b.outputs[0], b2.inputs['Normal'])
    L.new(b2.outputs[0], P.inputs['Normal'])
    return m


def trainer(colors, finish='suede', style='cup'):
    run = style == 'runner'
    lift = (lambda x: (1.25 * sm(26, 2, x) + 0.35)) if run else (lambda x: 0 * x)  # a foam wedge under the heel
    curves = [[(x, y, z + lift(x)) for x, y, z in C] for C in (B, M1, M2, T)]
    up = material('upper', finish, colors, style)
    lining = mat('lining', colors.get('lining', '#cfc4b0'), 0.9, sheen=0.3)
    u, v = np.meshgrid(np.linspace(0, 1, NT), np.linspace(0, 1, NV))
    Hs = paint(u, v, style, colors)[0]
    for s in (1, -1):
        R = side(s, curves) * k
        Nn = np.cross(np.gradient(R, axis=1), np.gradient(R, axis=0)) * s
        Nn /= np.linalg.norm(Nn, axis=2, keepdims=True) + 1e-9
        if s * Nn[NV // 3, NT // 2, 1] < 0:
            Nn = -Nn
        R2 = R + Nn * Hs[..., None]
        uv = np.stack([u, v], -1)
        grid(R2 if s < 0 else R2[:, ::-1], up, uv=uv if s < 0 else uv[:, ::-1])
        i = int(NT * (TH - 0.02))
        grid(R[20:, :i] - Nn[20:, :i] * 0.05, lining)
        tube([tuple(q) for q in (R[-1, :i:6] - Nn[-1, :i:6] * 0.025)], 0.034, up if not run else lining)
    newobj(
        'insole',
        [(x * k, y * 0.96 * s * k, (z + lift(x) + 0.55) * k) for s in (1, -1) for x, y, z in B],
        [list(range(11)) + [21 - i for i in range(11)]],
        None,
        lining,
        False,
    )
    # tongue, padded
    st = [
        (21.6, 0.75, 4.9),
        (19.6, 1.1, 6.05),
        (17.0, 1.5, 7.1),
        (14.0, 1.9, 8.2),
        (11.4, 2.2, 9.5),
        (9.6, 2.3, 10.7),
        (8.7, 2.15, 11.4),
        (8.3, 1.8, 11.75),
    ]
    g = cr([(x, y, z + lift(x)) for x, y, z in st], 50)
    grid(
        [[(x * k, y * f * k, (z + 0.38 * (1 - f * f) - 0.35) * k) for x, y, z in g] for f in np.linspace(-1, 1, 19)],
        up,
        uv=[[(0.20 + 0.002 * i, 0.40 + 0.008 * j) for i in range(50)] for j in range(19)],
    ).modifiers.new('t', 'SOLIDIFY').thickness = 0.05
    lace = mat('lace', colors.get('lace', '#efece4'), 0.9, sheen=0.3)
    w = tex(lace, 'Wave', coord='UV', scale=(1, 1, 1), Scale=26.0)
    bump(lace, w.outputs['Fac'], 0.35, 0.004)
    sides = {s: side(s, curves) for s in (1, -1)}
    eyelet = mat('eyelet', shade(colors['upper'], 0.45), 0.6)
    for i, t in enumerate(np.linspace(0.40, 0.635, 6)):
        j = int(t * (NT - 1))
        p, q = (sides[s][int(NV * 0.90), j] for s in (1, -1))
        mx, mz = (p[0] + q[0]) / 2, (p[2] + q[2]) / 2
        for s in (1, -1):
            e = lathe([(0.014, 0.002), (0.026, 0.006), (0.032, 0.0), (0.032, -0.01)], 24, eyelet)
            n = Vector((0.35, s * 0.75, 1)).normalized()
            e.rotation_mode = 'QUATERNION'
            e.rotation_quaternion = n.to_track_quat('Z', 'Y')
            e.location = Vector(sides[s][int(NV * 0.90), j] * k) + n * 0.022
        hgt = 0.75 + 0.10 * (5 - i) / 5
        ribbon(
            [
                (a * k, b * k, c * k)
                for a, b, c in (
                    (p[0], p[1] * 1.02, p[2] + 0.1),
                    (p[0], p[1] * 0.92, p[2] + 0.42),
                    (mx, p[1] * 0.5, mz + hgt),
                    (mx, 0, mz + hgt + 0.12),
                    (mx, q[1] * 0.5, mz + hgt),
                    (q[0], q[1] * 0.92, q[2] + 0.42),
                    (q[0], q[1] * 1.02, q[2] + 0.1),
                )
            ],
            0.066,
            0.014,
            lace,
            (1, 0, 0.35),
        )
        if i == 0:
            x0, z0 = mx, mz + hgt + 0.15
    for s in (1, -1):
        ribbon(
            [
                (a * k, s * b * k, c * k)
                for a, b, c in (
                    (x0, 0, z0 + 0.15),
                    (x0 + 0.1, 1.3, z0 + 0.85),
                    (x0 + 1.0, 2.9, z0 + 0.25),
                    (x0 + 1.9, 3.4, z0 - 1.0),
                    (x0 + 1.7, 2.6, z0 - 0.9),
                    (x0 + 0.7, 1.1, z0 + 0.05),
                    (x0, 0, z0 + 0.1),
                )
            ],
            0.062,
            0.013,
            lace,
            (0.9, 0, 0.5),
        )
        ribbon(
            [
                (a * k, s * b * k, c * k)
                for a, b, c in (
                    (x0, 0, z0 + 0.2),
                    (x0 + 0.9, 1.2, z0 + 0.1),
                    (x0 + 2.3, 2.6, z0 - 1.3),
                    (x0 + 3.2, 3.4, z0 - 2.9),
                )
            ],
            0.062,
            0.013,
            lace,
            (0.9, 0, 0.5),
        )
    rbox(0.085, 0.08, 0.055, 0.022, lace, (x0 * k, 0, (z0 + 0.15) * k))
    # sole
    ol = cr(B, 90)
    O = np.r_[ol, (ol * [1, -1, 1])[::-1][1:-1]]
    nxt = np.roll(O, -1, 0) - np.roll(O, 1, 0)
    nn = np.c_[nxt[:, 1], -nxt[:, 0]]
    nn /= np.linalg.norm(nn, axis=1)[:, None]
    nn *= np.sign((nn * (O[:, :2] - [15, 0])).sum(1).mean())
    spring = lambda x: max(0, (x - 22) / 8) ** 2 * 0.55
    top = 2.85

    def ring(off, z):  # z: 0 ground .. 1 top edge
        return [
            ((x + a * off) * k, (y + b * off) * k, (spring(x) * (1 - z * 0.4) + z * (top + lift(x))) * k)
            for (x, y, _), (a, b) in zip(O, nn)
        ]

    rubber = mat('rubber', colors.get('sole', '#d9d3c5'), 0.55, spec=0.3)
    if run:
        foam = mat('foam', colors.get('sole'), 0.8, spec=0.2, sheen=0.2)
        nz = tex(foam, 'Noise', Scale=120.0, Detail=2.0)
        bump(foam, nz.outputs['Fac'], 0.2, 0.004)
        grid(
            [
                ring(-3, 0.02),
                ring(0.0, 0.10),
                ring(0.35, 0.16),
                ring(0.50, 0.30),
                ring(0.42, 0.47),
                ring(0.34, 0.52),
                ring(0.44, 0.58),
                ring(0.38, 0.85),
                ring(0.15, 1.0),
                ring(-0.5, 1.02),
            ],
            foam,
            True,
            sub=1,
        )
        grid(
            [ring(-3, 0), ring(-0.1, 0), ring(0.12, 0.02), ring(0.20, 0.10), ring(0.05, 0.14)],
            mat('outsole', colors.get('outsole', '#6f7276'), 0.7),
            True,
            sub=1,
        )
    else:
        grid(
            [
                ring(-3, 0),
                ring(-0.15, 0),
                ring(0.10, 0.03),
                ring(0.20, 0.12),
                ring(0.24, 0.5),
                ring(0.22, 0.88),
                ring(0.16, 0.97),
                ring(0.02, 1.0),
                ring(-0.5, 0.99),
            ],
            rubber,
            True,
            sub=1,
        )
        C = Path(np.array(ring(0.245, 0.80))[:, :2])
        zr = np.array(ring(0.245, 0.80))[:, 2]
        s = 0
        thd = mat('solethread', shade(colors.get('sole', '#d9d3c5'), 0.8), 0.8)
        while s < C.L:
            c, t, _ = C.at(s)
            rbox(0.034, 0.012, 0.012, 0.005, thd, (c[0], c[1], np.interp(s, C.d, zr)), 1).rotation_euler = (
                0,
                0,
                math.atan2(t[1], t[0]),
            )
            s += 0.050
    # the name, printed on the heel
    R = sides[-1] * k
    i0, j0 = int(NV * 0.62), int(0.158 * (NT - 1))
    du = np.linalg.norm(R[i0, j0 + 1] - R[i0, j0])
    dv = np.linalg.norm(R[i0 + 1, j0] - R[i0, j0])
    tx = text(
        'HABERDASH', 0.036, mat('stamp', colors.get('stamp', '#3c342a'), 0.6), ext=0.0006, style='Sans:bold', space=1.06
    )
    bpy.context.view_layer.update()
    me = bpy.data.meshes.new_from_object(tx.evaluated_get(bpy.context.evaluated_depsgraph_get()))
    bpy.data.objects.remove(tx)
    for w in me.vertices:
        a, b = j0 + w.co.x / du, i0 + w.co.y / dv
        ja, ib = int(a), int(b)
        f, g_ = a - ja, b - ib
        q = (R[ib, ja] * (1 - f) + R[ib, ja + 1] * f) * (1 - g_) + (
            R[ib + 1, ja] * (1 - f) + R[ib + 1, ja + 1] * f
        ) * g_
        n = np.cross(R[ib, ja + 1] - R[ib, ja], R[ib + 1, ja] - R[ib, ja])
        n /= np.linalg.norm(n) + 1e-9
        n = n if n[1] < 0 or (abs(n[1]) < 0.2 and n[0] < 0) else -n
        w.co = Vector(q + n * (0.019 + max(0, w.co.z)))
    bpy.context.scene.collection.objects.link(bpy.data.objects.new('name', me))
    bpy.context.view_layer.update()


def scene(colors, finish='suede', style='cup', view='pair'):
    e = group(trainer, loc=(-1.5, 0, 0), colors=colors, finish=finish, style=style)
    q = bpy.data.objects.new('p', None)
    bpy.context.scene.collection.objects.link(q)
    e.parent = q
    q.rotation_euler = (0, 0, math.radians(-27))
    q.location = (0.04, -0.32, 0)
    twin(e, (0.10, 0.98, 0), -12)
    if view == 'near':
        stage(1.15, cam=(0.6, -7.4, 3.6), tgt=(0.42, -0.35, 0.38), lens=170, key=420, back=260, fill=0.26)
    else:
        stage(1.15, cam=(0, -8.2, 4.3), tgt=(-0.02, 0.16, 0.42), lens=80, key=400, back=240, fill=0.26)
    return dict(exposure=0.25, look='Medium High Contrast', cloth=True)
