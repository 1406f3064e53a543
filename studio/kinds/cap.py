"""A six-panel cap."""

from kit import *


def twill(name, color, ripstop=False):
    m = mat(name, color, 0.88, sheen=0.35, spec=0.15)
    N, L = nt(m)
    w = tex(m, 'Wave', coord='UV', scale=(1, 0.8, 1), Scale=34.0, Distortion=0.4, Detail=1.0)
    b = bump(m, w.outputs['Fac'], 0.22, 0.004)
    nz = tex(m, 'Noise', coord='UV', Scale=160.0, Detail=3.0)
    b = bump(m, nz.outputs['Fac'], 0.2, 0.004, b)
    if ripstop:
        n = 96
        g = np.zeros((n, n))
        g[:6] = 1
        g[:, :6] = 1
        tc = N.new('ShaderNodeTexCoord')
        mp = N.new('ShaderNodeMapping')
        mp.inputs['Scale'].default_value = (26, 26, 1)
        L.new(tc.outputs['UV'], mp.inputs[0])
        t = N.new('ShaderNodeTexImage')
        t.image = npimage('ripstop', g, True)
        L.new(mp.outputs[0], t.inputs[0])
        b = bump(m, t.outputs[0], 0.6, 0.008)
    n2 = tex(m, 'Noise', Scale=2.5, Detail=5.0)
    mr = N.new('ShaderNodeMapRange')
    mr.inputs[3].default_value = 0.85
    mr.inputs[4].default_value = 1.15
    L.new(n2.outputs['Fac'], mr.inputs[0])
    hv = N.new('ShaderNodeHueSaturation')
    hv.inputs['Color'].default_value = srgb(color)
    L.new(mr.outputs[0], hv.inputs['Value'])
    L.new(hv.outputs[0], N['Principled BSDF'].inputs['Base Color'])
    return m, b


def cap(color='#26384f', thread='#6f86a6', badge='#7b5230', ripstop=False):
    """six panels, the peak toward -y; 1 unit = 10 cm"""
    m, b = twill('cap', color, ripstop)
    th = mat('thread', thread, 0.8)
    A, Bb, Hh = 0.82, 0.98, 1.02

    def P(a, v, off=0, groove=1):
        # a: angle round the head (0 = front, -y), v: 0 rim .. 1 crown
        fr = max(0, math.cos(a))
        e = 0.80 + 0.14 * fr
        ph = v * math.pi / 2
        r = math.cos(ph) ** e
        z = math.sin(ph) ** (1 / (1.0 + 0.22 * fr))
        A_ = A
        z *= Hh * (1 + 0.03 * fr)
        z += 0.05 * math.cos(a) * (1 - v) * 0
        seam = abs(((a / (math.pi / 3)) + 0.0) % 1 - 0.0)
        seam = min(seam, 1 - seam)
        g = -0.018 * math.exp(-((seam * r * 4.5 / 0.10) ** 2)) * (1 - v**8)
        n = 0.010 * noise.noise((math.sin(a) * 2, math.cos(a) * 2, v * 3))
        f = 1 + (g + n) * groove + off
        return (A_ * r * math.sin(a) * f, -(Bb * r * math.cos(a)) * f, z * f)

    rows = [
        [P(a, v) for a in np.linspace(0, 2 * math.pi, 361)] for v in np.r_[np.linspace(0, 0.97, 90), 0.985, 0.995, 1]
    ]
    uv = [
        [(a / 1.05, v * 1.6) for a in np.linspace(0, 2 * math.pi, 361)]
        for v in np.r_[np.linspace(0, 0.97, 90), 0.985, 0.995, 1]
    ]
    o = grid(rows, m, uv=uv)
    s = o.modifiers.new('t', 'SOLIDIFY')
    s.thickness = 0.02
    s.offset = -1
    # seams: two rows of stitches each side, rim stitch, eyelets, button
    for i in range(6):
        for d in (-0.045, 0.045):
            v = 0.035
            while v < 0.93:
                r = math.cos(v * math.pi / 2) ** 0.85 + 0.05
                a = i * math.pi / 3 + d / r * 0.9
                p, q = Vector(P(a, v, 0.001)), Vector(P(a, v + 0.016, 0.001))
                tube([p, q], 0.0035, th, False, False, 1)
                v += 0.030
    for v in (0.03,):
        for a in np.linspace(0, 2 * math.pi, 150, endpoint=False):
            tube([P(a, v, 0.004), P(a + 0.022, v, 0.004)], 0.0045, th, False, False, 1)
    for i in range(6):
        a = i * math.pi / 3 + math.pi / 6
        p = Vector(P(a, 0.66, 0.006))
        nrm = Vector((p.x / A / A, p.y / Bb / Bb, p.z / Hh / Hh)).normalized()
        e = lathe([(0.014, 0.0), (0.022, 0.008), (0.036, 0.004), (0.038, -0.004)], 32, m)
        e.rotation_mode = 'QUATERNION'
        e.rotation_quaternion = nrm.to_track_quat('Z', 'Y')
        e.location = p
    z = P(0, 1)[2]
    lathe([(0, 0.045), (0.05, 0.038), (0.075, 0.016), (0.078, -0.01)], 48, m, (0, 0, z))
    # peak: an arched crescent
    rows = []
    uv = []
    W = 0.80

    def K(f, t, dz=0):
        a = f * 1.02
        x0, y0 = A * math.sin(a) * 0.985, -Bb * math.cos(a) * 0.985
        L = 0.78 * (max(0, 1 - abs(f) ** 2.6)) ** 0.62
        x = x0 * (1 + 0.16 * t * (1 - abs(f) ** 3))
        y = y0 - L * t
        c = (x / W) ** 2
        h = max(0, 1 - abs(f) ** 2.6) ** 0.5
        return (x, y, 0.08 + dz - (0.06 * t + 0.03 * t * t) * h - 0.20 * c * (0.30 + 0.70 * t * h))

    for t in np.linspace(0, 1, 40):
        rows.append([K(f, t) for f in np.linspace(-1, 1, 121)])
        uv.append([(K(f, t)[0], K(f, t)[1]) for f in np.linspace(-1, 1, 121)])
    o = grid(rows, m, uv=uv)
    s = o.modifiers.new('t', 'SOLIDIFY')
    s.thickness = 0.035
    s.offset = 0
    bv = o.modifiers.new('b', 'BEVEL')
    bv.width = 0.012
    bv.segments = 3
    bv.limit_method = 'ANGLE'
    for t in np.linspace(0.16, 0.96, 7):
        f = -0.96
        while f < 0.96:
            p = K(f, t, 0.021)
            q = K(f + 0.020, t, 0.021)
            if (1 - abs(f) ** 2.6) > 0.04:
                tube([p, q], 0.0045, th, False, False, 1)
            f += 0.034
    # the name: burnt into a leather patch, or printed
    w, h = 0.66, 0.25
    pv = 0.30

    def Q(x, zv, off):
        return P(x / (A * 0.93), pv + zv / 1.45, off + (0.026 if badge else 0.004), 0)

    if badge:
        patch_on(Q, w, h, badge)
    tx = text('HABERDASH', 0.078 if badge else 0.105, mat('burn', '#2b170b', 0.8), (0, 0, 0), ext=0.004, space=1.08)
    bpy.context.view_layer.update()
    me = bpy.data.meshes.new_from_object(tx.evaluated_get(bpy.context.evaluated_depsgraph_get()))
    bpy.data.objects.remove(tx)
    bm = bmesh.new()
    bm.from_mesh(me)
    bmesh.ops.triangulate(bm, faces=bm.faces)
    bmesh.ops.subdivide_edges(bm, edges=[e for e in bm.edges if e.calc_length() > 0.03], cuts=2)
    bm.to_mesh(me)
    bm.free()
    for v in me.vertices:
        v.co = Vector(Q(v.co.x, v.co.y, (0.0235 if badge else 0.002) + max(0, v.co.z) * 0.6))
    bpy.context.scene.collection.objects.link(bpy.data.objects.new('name', me))
    # sweatband inside, strap behind
    grid(
        [
            [(0.80 * math.sin(a) * 0.975, -0.96 * math.cos(a) * 0.975, z) for a in np.linspace(0, 2 * math.pi, 120)]
            for z in (0.0, 0.18)
        ],
        mat('band', '#d8cfbf', 0.9),
    )


def patch_on(Q, w, h, badge):
    th = mat('patchthread', '#d9c09a', 0.8)
    lt = leather('patch', badge, '#9a6a40', 70, 0.5, 0.004)
    ring = rrect(w, h, 0.05, 6)
    rows = [
        [Q(x * f, z * f, off) for x, z in ring]
        for f, off in ((1.01, 0.0), (1.01, 0.016), (0.985, 0.022), (0.9, 0.022), (0.5, 0.022), (0.02, 0.022))
    ]
    grid(rows, lt, True)
    outline = rrect(w - 0.06, h - 0.06, 0.03, 4)
    pr = Path(outline + [outline[0]])
    s = 0
    while s < pr.L:
        c, t, _ = pr.at(s)
        d = t * 0.011
        tube([Q(c[0] - d[0], c[1] - d[1], 0.0235), Q(c[0] + d[0], c[1] + d[1], 0.0235)], 0.0045, th, False, False, 1)
        s += 0.036


def scene(**p):
    group(cap, loc=(-0.10, 0.15, 0.155), rot=(0, 0, 27), **p)
    stage(1.05, cam=(0, -7.4, 2.9), tgt=(-0.04, -0.05, 0.42), lens=78, key=400, back=200, fill=0.24)
    return dict(exposure=0.35, look='Medium High Contrast', cloth=True)
