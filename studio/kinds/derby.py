"""A pair of derby shoes. 1 unit = 10 cm."""

from kit import *

k = 0.1
# five curves from heel (t=0) to toe (t=1) in cm: x, half-width, height. B at the welt, T along the topline, then along the ridge to the toe
B = [
    (0.3, 0, 2.6),
    (0.9, 2.2, 2.6),
    (3, 3.0, 2.55),
    (7, 3.05, 2.4),
    (11, 3.0, 2.05),
    (15, 3.6, 1.45),
    (19, 4.55, 1.0),
    (23, 4.75, 0.95),
    (26.5, 4.0, 1.05),
    (28.9, 2.3, 1.2),
    (29.7, 0, 1.3),
]
M1 = [
    (-0.1, 0, 5.0),
    (0.6, 2.4, 5.0),
    (3, 3.2, 4.9),
    (7, 3.3, 4.6),
    (11, 3.4, 4.3),
    (15, 3.85, 3.7),
    (19, 4.55, 3.1),
    (23, 4.55, 2.75),
    (26.4, 3.7, 2.55),
    (28.6, 2.1, 2.45),
    (29.35, 0, 2.45),
]
M2 = [
    (0.25, 0, 7.6),
    (0.95, 2.0, 7.4),
    (3.3, 2.75, 6.9),
    (7, 2.95, 6.7),
    (10.5, 3.0, 6.9),
    (14.5, 3.0, 6.1),
    (18.5, 3.2, 5.0),
    (22.3, 3.2, 4.2),
    (25.4, 2.5, 3.75),
    (27.4, 1.4, 3.4),
    (28.1, 0, 3.3),
]
T = [
    (0.75, 0, 9.0),
    (1.5, 1.6, 8.6),
    (3.9, 2.25, 7.6),
    (7, 2.35, 7.4),
    (9.6, 1.75, 8.6),
    (13.3, 1.10, 7.7),
    (17.0, 0.75, 6.35),
    (20.6, 0, 5.15),
    (23.4, 0, 4.5),
    (25.4, 0, 4.05),
    (26.6, 0, 3.75),
]


def cr(C, n):
    C = np.array(C, float)
    t = np.linspace(0, len(C) - 1, n)
    i = np.clip(t.astype(int), 0, len(C) - 2)
    u = (t - i)[:, None]
    g = lambda j: C[np.clip(j, 0, len(C) - 1)]
    p0, p1, p2, p3 = g(i - 1), g(i), g(i + 1), g(i + 2)
    return 0.5 * (2 * p1 + (p2 - p0) * u + (2 * p0 - 5 * p1 + 4 * p2 - p3) * u**2 + (3 * p1 - p0 - 3 * p2 + p3) * u**3)


# TH: t of the throat (20.6 cm)
NT, NV = 260, 72
TH = 0.70


def side(s, curves=None):
    c = [cr(C, NT) for C in curves or (B, M1, M2, T)]
    rows = []
    for a in c:
        a[:, 1] = np.maximum(a[:, 1], 0)
    mir3 = c[2] * [1, -1, 1]
    t = np.linspace(0, 1, NT)
    w = sm(TH - 0.06, TH + 0.02, t)[:, None]
    ext = 2 * c[3] - c[2]
    nxt = ext * (1 - w) + mir3 * w
    pts = [2 * c[0] - c[1] + np.array([0, -0.5, 0]), *c, nxt]
    for j in range(NV):
        q = 3 * j / (NV - 1)
        i = min(2, int(q))
        u = q - i
        p0, p1, p2, p3 = pts[i], pts[i + 1], pts[i + 2], pts[i + 3]
        rows.append(
            0.5 * (2 * p1 + (p2 - p0) * u + (2 * p0 - 5 * p1 + 4 * p2 - p3) * u**2 + (3 * p1 - p0 - 3 * p2 + p3) * u**3)
        )
    # v,t,3
    R = np.array(rows)
    R[:, :, 1] *= s
    return R


# seams in (t, v): v 0 welt .. 1 top
def seamfield(U, V, N=None):
    """height (cm/10), groove and thread at texture points"""
    H = np.zeros_like(U)
    G = np.zeros_like(U)
    th = np.zeros_like(U)

    def dist(C, ax=2.7):
        C = np.asarray(C)
        D = np.full(U.shape, 9.0)
        A = np.zeros_like(U)
        L = 0
        for a, b in zip(C[:-1], C[1:]):
            ab = (b - a) * [ax, 1]
            l = np.linalg.norm(ab)
            px = (U - a[0]) * ax
            py = V - a[1]
            tt = np.clip((px * ab[0] + py * ab[1]) / l / l, 0, 1)
            q = np.hypot(px - tt * ab[0], py - tt * ab[1])
            m = q < D
            D[m] = q[m]
            A[m] = (L + tt * l)[m]
            L += l
        return D, A

    def seam(C, offs=(0.030,), ax=2.7):
        nonlocal G, th
        D, A = dist(C, ax)
        for o in offs:
            g = np.exp(-(((D - o) / 0.008) ** 2))
            G -= 0.35 * g
            th += np.exp(-(((D - o) / 0.0055) ** 2)) * (np.sin(2 * np.pi * A / 0.026) > -0.35)
        return D, A

    # quarter: from the welt at the waist, sweeping up to the throat and back along the facing
    Q = spline(
        [(0.44, -0.05), (0.475, 0.20), (0.535, 0.42), (0.62, 0.60), (0.672, 0.74), (0.684, 0.88), (0.672, 1.02)], 14
    )
    quarter = np.r_[Q, [(-0.1, 1.1), (-0.1, -0.1)]]
    ins = inside(quarter, np.c_[U.ravel(), V.ravel()]).reshape(U.shape)
    D, A = seam(Q, ())
    H += 0.022 * np.where(ins, sm(0, 0.022, D), 0)
    G -= 0.6 * np.exp(-((D / 0.010) ** 2)) * (~ins)
    for o in (0.035, 0.058):
        th += ins * np.exp(-(((D - o) / 0.0055) ** 2)) * (np.sin(2 * np.pi * A / 0.026) > -0.35)
        G -= ins * 0.35 * np.exp(-(((D - o) / 0.009) ** 2))
    # cap
    C = spline([(0.742, -0.05), (0.744, 0.33), (0.766, 0.67), (0.815, 1.0)], 12)
    # beyond the ridge, where both halves meet: a row outside the cap would be a crease from cap to toe
    capm = inside(np.r_[C, [(0.815, 1.1), (1.2, 1.1), (1.2, -0.05)]], np.c_[U.ravel(), V.ravel()]).reshape(U.shape)
    D, A = seam(C, ())
    H += 0.014 * np.where(capm, sm(0, 0.02, D), 0)
    G -= 0.5 * np.exp(-((D / 0.010) ** 2)) * (~capm)
    for o in (0.03, 0.052):
        th += capm * np.exp(-(((D - o) / 0.0055) ** 2)) * (np.sin(2 * np.pi * A / 0.026) > -0.35)
        G -= capm * 0.35 * np.exp(-(((D - o) / 0.009) ** 2))
    # heel counter strip and topline stitch
    C = spline([(0.10, -0.05), (0.085, 0.4), (0.06, 0.75), (0.055, 1.05)], 12)
    hm = inside(np.r_[C, [(-0.1, 1.05), (-0.1, -0.05)]], np.c_[U.ravel(), V.ravel()]).reshape(U.shape)
    D, A = seam(C, ())
    H += 0.012 * np.where(hm, sm(0, 0.02, D), 0)
    G -= 0.5 * np.exp(-((D / 0.010) ** 2)) * (~hm)
    th += hm * np.exp(-(((D - 0.03) / 0.0055) ** 2)) * (np.sin(2 * np.pi * A / 0.026) > -0.35)
    d = np.abs(V - 0.955)
    m = U < 0.66
    th += m * np.exp(-((d / 0.0065) ** 2)) * (np.sin(2 * np.pi * U * 2.7 / 0.026) > -0.35)
    G -= m * 0.35 * np.exp(-((d / 0.010) ** 2))
    H -= 0.02 * sm(0.985, 1.0, V) * m
    return H, G, np.clip(th, 0, 1)


def derby(dark='#1f0e06', light='#5f3117', thread='#8e5a30', laces='#2a1a10', lining='#c19a6b', edge='#3a2113'):
    n = 1400
    V_, U_ = np.mgrid[0:n, 0:n] / (n - 1)
    Ht, Gt, th = seamfield(U_, V_)
    him = npimage('dh', np.clip(0.5 + Gt * 0.5 + th * 0.22 + Ht * 0, 0, 1.5), True)
    # burnished: dark at toe, heel, seams
    burn = sm(0.80, 1.0, U_) * 0.75 + sm(0.12, 0.0, U_) * 0.6 + sm(0.22, 0.0, V_) * 0.45
    burn = np.clip(burn, 0, 1)
    a, b, c = [np.array(srgb(h)[:3]) ** (1 / 2.2) for h in (dark, light, thread)]
    col = b + (a - b) * burn[..., None]
    col = col * (1 - 0.35 * np.clip(-Gt, 0, 1)[..., None])
    col = col + (c - col) * (th * 0.85)[..., None]
    lt = leather('calf', dark, light, 75, 0.30, 0.004, coat=0.15)
    N, L = nt(lt)
    P = N['Principled BSDF']
    tc = N.new('ShaderNodeTexCoord')
    ti = N.new('ShaderNodeTexImage')
    ti.image = npimage('dc', np.clip(col, 0, 1))
    L.new(tc.outputs['UV'], ti.inputs[0])
    nz = tex(lt, 'Noise', Scale=3.0, Detail=6.0)
    mr = N.new('ShaderNodeMapRange')
    mr.inputs[1].default_value = 0.3
    mr.inputs[2].default_value = 0.7
    mr.inputs[3].default_value = 0.72
    mr.inputs[4].default_value = 1.2
    L.new(nz.outputs['Fac'], mr.inputs[0])
    hv = N.new('ShaderNodeHueSaturation')
    L.new(mr.outputs[0], hv.inputs['Value'])
    L.new(ti.outputs[0], hv.inputs['Color'])
    L.new(hv.outputs[0], P.inputs['Base Color'])
    t2 = N.new('ShaderNodeTexImage')
    t2.image = him
    t2.interpolation = 'Cubic'
    L.new(tc.outputs['UV'], t2.inputs[0])
    b2 = N.new('ShaderNodeBump')
    b2.inputs['Distance'].default_value = 0.022 * K[0]
    L.new(t2.outputs[0], b2.inputs['Height'])
    prev = P.inputs['Normal'].links[0].from_node
    L.new(prev.outputs[0], b2.inputs['Normal'])
    L.new(b2.outputs[0], P.inputs['Normal'])
    u, v = np.meshgrid(np.linspace(0, 1, NT), np.linspace(0, 1, NV))
    Hs, _, _ = seamfield(u, v)
    lin = mat('lining', lining, 0.7, spec=0.2)
    for s in (1, -1):
        R = side(s) * k
        du = np.gradient(R, axis=1)
        dv = np.gradient(R, axis=0)
        Nn = np.cross(du, dv) * s
        Nn /= np.linalg.norm(Nn, axis=2, keepdims=True) + 1e-9
        if s * Nn[NV // 3, NT // 2, 1] < 0:
            Nn = -Nn
        # creases across the vamp
        R2 = R + Nn * Hs[..., None]
        R2[-1, int(NT * TH) :, 1] = 0
        o = grid(R2 if s < 0 else R2[:, ::-1], lt, uv=np.stack([u, v], -1) if s < 0 else np.stack([u, v], -1)[:, ::-1])
        i = int(NT * (TH - 0.02))
        I = R[20:, :i] - Nn[20:, :i] * 0.035
        grid(I, lin)
        # rolled top edge
        tube([tuple(q) for q in (R[-1, :i:6] - Nn[-1, :i:6] * 0.015)], 0.020, lt)
    newobj(
        'insole',
        [(x * k, y * 0.96 * s * k, (z + 0.55) * k) for s in (1, -1) for x, y, z in B],
        [list(range(11)) + [21 - i for i in range(11)]],
        None,
        lin,
        False,
    )
    # tongue
    st = [
        (21.2, 0.55, 4.2),
        (19.2, 0.9, 5.25),
        (16.6, 1.35, 6.1),
        (13.4, 1.75, 7.35),
        (10.6, 2.1, 8.6),
        (9.0, 2.25, 9.6),
        (8.2, 2.1, 10.2),
        (7.9, 1.7, 10.45),
    ]
    g = cr(st, 50)
    grid(
        [[(x * k, y * f * k, (z + 0.38 * (1 - f * f) - 0.35) * k) for x, y, z in g] for f in np.linspace(-1, 1, 19)],
        lt,
        uv=[[(0.25 + 0.002 * i, 0.45 + 0.01 * j) for i in range(50)] for j in range(19)],
    ).modifiers.new('t', 'SOLIDIFY').thickness = 0.03
    # eyelets, laces, bow
    lace = mat('lace', laces, 0.75, sheen=0.2)
    br = metal('brass', srgb('#8a6a3c'), 0.3)
    Tt = cr(T, NT)
    for i, t in enumerate(np.linspace(0.415, 0.615, 5)):
        j = int(t * (NT - 1))
        R = {s: side(s)[int(NV * 0.915), j] for s in (1, -1)}
        for s in (1, -1):
            q = R[s] * k
            q2 = side(s)[-1, j] * k
            e = lathe([(0.010, 0.0), (0.020, 0.004), (0.026, 0.0), (0.026, -0.01)], 24, br)
            nrm = Vector((0.35, s * 0.75, 1)).normalized()
            e.rotation_mode = 'QUATERNION'
            e.rotation_quaternion = nrm.to_track_quat('Z', 'Y')
            e.location = Vector(q) + nrm * 0.022
        p, q = R[1], R[-1]
        mx, mz = (p[0] + q[0]) / 2, (p[2] + q[2]) / 2
        for d in (-0.13, 0.13):
            tube(
                [
                    ((p[0] + d) * k, p[1] * k, (p[2] + 0.0) * k),
                    ((p[0] + d) * k, p[1] * 0.9 * k, (p[2] + 0.36) * k),
                    ((mx + d) * k, 0, (mz + 0.75) * k),
                    ((q[0] + d) * k, q[1] * 0.9 * k, (q[2] + 0.36) * k),
                    ((q[0] + d) * k, q[1] * k, q[2] * k),
                ],
                0.017,
                lace,
            )
        if i == 0:
            x0, z0 = mx, mz + 0.8
    for s in (1, -1):
        for d in (0, 0.16):
            tube(
                [
                    ((x0 - 0.1) * k, 0, (z0 + 0.15) * k),
                    ((x0 - 0.2 + d) * k, s * 1.2 * k, (z0 + 0.75) * k),
                    ((x0 + 0.8 + d) * k, s * 2.7 * k, (z0 + 0.15) * k),
                    ((x0 + 1.5 + d) * k, s * 3.0 * k, (z0 - 1.3) * k),
                    ((x0 + 1.0 + d) * k, s * 2.2 * k, (z0 - 0.9) * k),
                    ((x0 + 0.3) * k, s * 0.8 * k, (z0 - 0.05) * k),
                    ((x0 - 0.05) * k, 0, (z0 + 0.1) * k),
                ],
                0.016,
                lace,
            )
        tube(
            [
                ((x0) * k, 0, (z0 + 0.15) * k),
                ((x0 + 0.5) * k, s * 1.0 * k, (z0 + 0.2) * k),
                ((x0 + 1.8) * k, s * 2.3 * k, (z0 - 1.1) * k),
                ((x0 + 2.6) * k, s * 3.1 * k, (z0 - 2.5) * k),
            ],
            0.016,
            lace,
        )
        lathe([(0, 0), (0.019, 0), (0.019, 0.09), (0, 0.095)], 20, br).location = (
            (x0 + 2.6) * k,
            s * 3.1 * k,
            (z0 - 3.1) * k,
        )
    rbox(0.075, 0.07, 0.05, 0.02, lace, ((x0) * k, 0, (z0 + 0.15) * k))
    # welt and sole: the welt plan, offset, at the height of B
    ol = cr(B, 90)
    O = np.r_[ol, (ol * [1, -1, 1])[::-1][1:-1]]
    nxt = np.roll(O, -1, 0) - np.roll(O, 1, 0)
    nn = np.c_[nxt[:, 1], -nxt[:, 0]]
    nn /= np.linalg.norm(nn, axis=1)[:, None]
    nn *= np.sign((nn * (O[:, :2] - [15, 0])).sum(1).mean())
    ring = lambda off, dz, f=lambda x: 0: [
        ((x + a * off) * k, (y + b * off) * k, (z + dz + f(x)) * k) for (x, y, z), (a, b) in zip(O, nn)
    ]
    wl = mat('welt', edge, 0.5, spec=0.35)
    sl = mat('sole', shade(edge, 1.25), 0.42, spec=0.4, coat=0.2)
    wf = lambda d: d + 0.0
    grid(
        [
            ring(-0.5, 0.12),
            ring(0.05, 0.13),
            ring(0.42, 0.10),
            ring(0.50, 0.02),
            ring(0.50, -0.18),
            ring(0.44, -0.24),
            ring(-0.4, -0.24),
        ],
        wl,
        True,
    )
    grid([ring(0.40, -0.22), ring(0.47, -0.27), ring(0.47, -0.68), ring(0.40, -0.75), ring(-3, -0.75)], sl, True)
    C = Path(np.array(ring(0.24, 0.14))[:, :2])
    zr = np.array(ring(0.24, 0.15))
    s = 0
    thd = mat('weltthread', '#d9b98c', 0.8)
    while s < C.L:
        c, t, _ = C.at(s)
        z = np.interp(s, C.d, zr[:, 2])
        if c[0] > 0.75:
            o = rbox(0.030, 0.010, 0.010, 0.004, thd, (c[0], c[1], z), 1)
            o.rotation_euler = (0, 0, math.atan2(t[1], t[0]))
        s += 0.043
    # stacked heel, its front edge square
    hl = mat('heel', '#3d2415', 0.5, spec=0.35)
    w = tex(hl, 'Wave', scale=(1, 1, 1), Scale=5.0, Distortion=0.4, bands_direction='Z')
    ramp(hl, w.outputs['Fac'], [(0.3, '#2c190e'), (0.6, '#4b2c1a')])
    H = [p for p in zip(O, nn) if p[0][0] < 7.2]
    up = [((p[0] + n[0] * 0.42), (p[1] + n[1] * 0.42)) for p, n in H]
    up = sorted([q for q in up if q[1] >= 0], key=lambda q: q[0])[::-1] + sorted(
        [q for q in up if q[1] < 0], key=lambda q: q[0]
    )
    zt = 1.86
    grid(
        [
            [(x * k - (0.0 if x < 6.8 else 0) + f * 0, y * k * (1 - 0.03 * (1 - zz)), zz * zt * k) for x, y in up]
            for zz, f in ((0, 0), (0.03, 0), (0.25, 0), (0.26, 0), (0.6, 0), (1.0, 0))
        ],
        hl,
        True,
        True,
    )
    bpy.context.view_layer.update()


def twin(e, loc, rz):
    """the left shoe: the same meshes mirrored"""
    n = bpy.data.objects.new('twin', None)
    bpy.context.scene.collection.objects.link(n)
    for o in list(e.children):
        c = o.copy()
        bpy.context.scene.collection.objects.link(c)
        c.parent = n
    p = bpy.data.objects.new('p', None)
    bpy.context.scene.collection.objects.link(p)
    n.parent = p
    n.location = (-1.5, 0, 0)
    p.scale = (1, -1, 1)
    p.location = loc
    p.rotation_euler = (0, 0, math.radians(rz))


def scene(**p):
    e = group(derby, loc=(-1.5, 0, 0), **p)
    q = bpy.data.objects.new('p', None)
    bpy.context.scene.collection.objects.link(q)
    e.parent = q
    q.rotation_euler = (0, 0, math.radians(-27))
    q.location = (0.04, -0.32, 0)
    twin(e, (0.10, 0.98, 0), -12)
    stage(1.15, cam=(0, -8.2, 4.3), tgt=(-0.02, 0.16, 0.36), lens=80, key=420, back=260, fill=0.26)
    return dict(exposure=0.35)
