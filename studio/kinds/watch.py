"""A wristwatch, laid out or closed."""

from kit import *

METALS = dict(
    steel=lambda name, rough: metal(name, (0.78, 0.77, 0.76, 1), rough),
    gold=lambda name, rough: metal(name, srgb('#c9a058'), rough),
    black=lambda name, rough: mat(name, '#101113', rough + 0.16, spec=0.6),
)


def bezel(steel, brush):
    """a diver's turning ring, with its scale"""
    o = lathe([(0.80, 0.335), (0.82, 0.352), (0.985, 0.322), (1.0, 0.30), (1.0, 0.20), (0.97, 0.18)], 240, brush)
    for i, v in enumerate(o.data.vertices):
        if i // 240 in (3, 4):
            f = 1 + 0.012 * (1 if i % 4 < 2 else -1)
            v.co.x *= f
            v.co.y *= f
    pale = mat('scale', '#d8d8d2', 0.5)
    for i in range(60):
        a = i * math.pi / 30
        big = i % 5 == 0
        q = rbox(
            0.09 if big else 0.04,
            0.020 if big else 0.010,
            0.006,
            0.001,
            pale,
            (0.90 * math.cos(a), 0.90 * math.sin(a), 0.339),
            1,
            (0, math.radians(10), a),
        )


def watch(
    pose='flat',
    style='dress',
    case='steel',
    dialc='#16233a',
    marks=None,
    print_='#f4f2ec',
    dark='#83502b',
    light='#9c6738',
    thread='#e2cfae',
):
    """case of radius .95, axis up; pose 'flat': strap laid out; 'loop': strap closed below the case"""
    steel = METALS[case]('polished', 0.14)
    brush = METALS[case]('brushed', 0.30)
    rubber = style == 'diver'
    marks = mat('marks', marks, 0.4, spec=0.4) if marks else steel
    dial = mat('dial', dialc, 0.35, spec=0.5, coat=0.3)
    wht = mat('wht', print_, 0.5)
    lathe([(0, 0.0), (0.86, 0.0), (0.93, 0.05), (0.95, 0.12), (0.95, 0.22), (0.90, 0.27), (0.885, 0.28)], 160, brush)
    lathe(
        [(0.885, 0.28), (0.87, 0.315), (0.83, 0.335), (0.79, 0.33), (0.775, 0.30), (0.775, 0.25), (0, 0.25)], 160, steel
    )
    lathe([(0, 0.253), (0.775, 0.253)], 128, dial)
    bezel(steel, brush) if rubber else None
    for i in range(60):
        a = i * math.pi / 30
        big = i % 5 == 0
        l, w, h = (0.13, 0.034, 0.022) if big else (0.035, 0.008, 0.008)
        r = 0.65 if big else 0.735
        if rubber and big and i not in (0,):
            lathe([(0, 0.266), (0.052, 0.266), (0.055, 0.262)], 40, marks, (0.64 * math.cos(a), 0.64 * math.sin(a), 0))
        elif style == 'field' and big and i:
            n = (14 - i // 5) % 12 + 1
            text(str(n), 0.135, marks, (0.60 * math.cos(a), 0.60 * math.sin(a), 0.256), ext=0.002, style='Sans:bold')
        elif i != 0:
            o = rbox(l, w, h, 0.003, marks if big else wht, (r * math.cos(a), r * math.sin(a), 0.262), 2)
            o.rotation_euler.z = a
    rbox(0.17, 0.20, 0.012, 0.003, wht, (0.62, 0, 0.259), 2)
    rbox(0.155, 0.185, 0.014, 0.003, mat('date', '#fbfaf6', 0.5), (0.62, 0, 0.260), 2)
    text('28', 0.13, mat('ink', '#15171c', 0.6), (0.62, -0.004, 0.268), ext=0.001, style='Sans:bold')

    def hand(ang, l, w, z, m, tail=0.1):
        a = math.radians(90 - ang)
        o = rbox(l + tail, w, 0.012, 0.004, m, (math.cos(a) * (l - tail) / 2, math.sin(a) * (l - tail) / 2, z), 2)
        o.rotation_euler.z = a

    broad = 1.7 if rubber else 1
    hand(305, 0.40, 0.055 * broad, 0.272, marks)
    hand(52, 0.60, 0.042 * broad, 0.285, marks)
    hand(190, 0.64, 0.010, 0.297, mat('sec', '#d0884a', 0.35), 0.16)
    lathe([(0.045, 0.25), (0.045, 0.302), (0.0, 0.306)], 40, steel)
    text('HABERDASH', 0.10, wht, (0, 0.33, 0.256), ext=0.001, space=1.12)
    text(
        'AUTOMATIC' if style == 'dress' else '200 m' if rubber else 'FIELD',
        0.05,
        wht,
        (0, -0.34, 0.256),
        ext=0.001,
        style='Sans',
        space=1.2,
    )
    lathe([(0.785, 0.33), (0.76, 0.343), (0.5, 0.36), (0, 0.372)], 128, clear())
    o = lathe([(0, 0), (0.09, 0), (0.115, 0.02), (0.115, 0.14), (0.10, 0.16), (0, 0.165)], 72, steel)
    o.rotation_euler = (0, math.pi / 2, 0)
    o.location = (0.945, 0, 0.15)
    for i, v in enumerate(o.data.vertices):
        if i // 72 in (2, 3):
            f = 1 + 0.05 * (1 if i % 4 < 2 else -1)
            v.co.x *= f
            v.co.y *= f
    # lugs: curved horns from the flank down past the strap
    for sx in (1, -1):
        for sy in (1, -1):
            st = [
                (0.62, 0.15, 0.10, 0.075),
                (0.82, 0.165, 0.095, 0.08),
                (1.0, 0.14, 0.09, 0.08),
                (1.12, 0.085, 0.085, 0.07),
                (1.19, 0.02, 0.075, 0.055),
            ]
            rows = [[(sx * 0.565 + u, sy * y, z + w) for u, w in rrect(a * 1.55, b * 2, 0.035, 4)] for y, z, a, b in st]
            grid(rows, brush, True, True, sub=1)
    lt = mat('rubber', light, 0.55, spec=0.35) if rubber else leather('strap', dark, light, 60, 0.48, 0.006, blotch=2.0)
    th = mat('thr', thread, 0.8)
    hol = mat('hole', '#20140b', 0.9)

    def half(L_, tip):
        def f(s):
            w = 0.475 - 0.095 * min(1, s / L_)
            return w * math.sqrt(max(0, 1 - max(0, (s - (L_ - 0.26)) / 0.26) ** 2.2)) + 0.001 if tip else w

        return f

    def strap(sy, pts, tip, stitches=True, s1=None):
        p = Path(pts)
        L_ = s1 or p.L
        hf = half(L_, tip)
        put = lambda a, b, w: (w * sy * 1.0, sy * a, b)
        p2 = Path([(a, b) for a, b in pts])
        # outward is up: put() flips, so carry the path mirrored
        strip(p2, hf, -0.085, lt, put, 160, 0.9, s1=L_, edge=0.5)
        if stitches:
            for s_ in (1, -1):
                s = 0.16
                while s < L_ - 0.3:
                    c, t, n = p2.at(s)
                    c = c - n * 0.062
                    o = rbox(0.014, 0.052, 0.014, 0.005, th, put(c[0], c[1], s_ * (hf(s) - 0.075)), 2)
                    o.rotation_euler = (
                        math.atan2(t[1] * sy, t[0]) if sy > 0 else math.atan2(-t[1], t[0]) * -1 * -1,
                        0,
                        0,
                    )
                    s += 0.078
        return p2, put, hf

    if pose == 'flat':
        base = lambda L_: [
            (0.80 + y, 0.135 * math.exp(-max(0, y - 0.2) / 0.5) + 0.045 + 0.02 * math.sin(y * 1.7))
            for y in np.linspace(0, L_, 60)
        ]
        p, put, hf = strap(-1, base(2.55), True, not rubber)
        for i in range(6):
            c, t, n = p.at(1.22 + i * 0.19)
            lathe([(0, 0), (0.040, 0), (0.048, -0.02)], 24, hol, put(c[0], c[1] + 0.085, 0))
        p, put, hf = strap(1, base(1.55), False, not rubber)
        E = 0.80 + 1.55
        # the end folds round the bar of the buckle
        o = grid(
            [
                [
                    (x, E + 0.085 * math.cos(a) - 0.02, 0.065 + 0.075 * math.sin(a))
                    for a in np.linspace(0, 2 * math.pi, 24, endpoint=False)
                ]
                for x in np.linspace(-0.38, 0.38, 12)
            ],
            lt,
            True,
            True,
        )
        fr = [(x, y + E + 0.265) for x, y in rrect(1.04, 0.56, 0.13, 8)]
        tube([(x, y, 0.085 + 0.05 * max(0, min(1, (y - E) / 0.4))) for x, y in fr], 0.048, steel, True, False, 6)
        tube(
            [
                (0, E - 0.02, 0.155),
                (0, E + 0.06, 0.178),
                (0, E + 0.30, 0.20),
                (0, E + 0.52, 0.195),
                (0, E + 0.60, 0.155),
            ],
            0.030,
            steel,
        )
        for k in range(0 if rubber else 7):
            rbox(0.05, 0.014, 0.014, 0.005, th, (-0.27 + k * 0.09, E - 0.22, 0.118), 2)
        for yy in (E - 0.42, E - 0.72):
            grid(
                [
                    [(x * f, yy + d, 0.088 + z * f) for x, z in rrect(0.92, 0.27, 0.06, 5)]
                    for d, f in (
                        (-0.06, 0.97),
                        (-0.065, 0.985),
                        (-0.05, 1),
                        (0, 1.005),
                        (0.05, 1),
                        (0.065, 0.985),
                        (0.06, 0.97),
                    )
                ],
                lt,
                True,
            )
    else:
        # one closed loop: from a lug down an ellipse, overlapping below
        def loop(a1):
            a = np.linspace(math.radians(58), a1, 120)
            return [(0.80, 0.13), (0.95, 0.10)] + [
                (1.42 * math.sin(x) * 1.0, -1.12 + 1.22 * math.cos(x))
                for x in a
                if 1.42 * math.sin(x) > 1.12 or x > 1.2
            ]

        p, put, hf = strap(1, loop(math.radians(188)), False)
        p, put, hf = strap(-1, loop(math.radians(196)), False)


def scene(view='flat', **p):
    if view == 'loop':
        group(watch, loc=(0, 0, 1.0), rot=(58, 0, -24), pose='loop', **p)
        stage(1.25, cam=(0, -7.4, 2.6), tgt=(0, 0, 0.62), lens=92, key=400, back=220, fill=0.28)
        return dict(exposure=0.2)
    group(watch, loc=(0.08, 0.36, 0.03), rot=(0, 0, -33), s=0.93, **p)
    stage(1.25, cam=(0, -3.4, 10.4), tgt=(0, -0.03, 0.1), lens=76, key=420, back=240, fill=0.3)
    area((0, 0.6, 8), (0, 0, 0), 3, 130)
    return dict(exposure=0.1)
