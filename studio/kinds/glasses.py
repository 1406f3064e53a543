"""Sunglasses, standing open."""

from kit import *


def tortoise(name='acetate', a='#2a1408', b='#a8632a', c='#d99a4c'):
    m = mat(name, b, 0.12, spec=0.55, coat=0.6)
    nz = tex(m, 'Noise', scale=(1, 1.0, 1), Scale=2.6, Detail=3.0, Distortion=0.6)
    ramp(m, nz.outputs['Fac'], [(0.46, a), (0.57, b), (0.80, c)])
    return m


def sunglasses(lens=(0.055, 0.068, 0.05), acetate=('#2a1408', '#a8632a', '#d99a4c'), shape='panto', rivets='gold'):
    """1 unit = 10 cm; front in the xz plane at y=0, arms running to +y"""
    m = tortoise('acetate', *acetate)
    gl = clear('lens', 1.6, (*lens, 1))
    gold = metal('rivet', srgb('#c9a25e') if rivets == 'gold' else (0.75, 0.75, 0.76, 1), 0.2)

    # panto eye: outline by angle
    def eye(cx, s, g=0):
        P = []
        for t in np.linspace(0, 2 * math.pi, 96, endpoint=False):
            c, q = math.cos(t), math.sin(t)
            e, rx, rz, lean = dict(
                panto=(2.5, 0.245, 0.215, 0.08), round=(2.0, 0.228, 0.222, 0.0), square=(4.2, 0.262, 0.205, 0.05)
            )[shape]
            x = math.copysign(abs(c) ** (2 / e), c) * rx
            z = math.copysign(abs(q) ** (2 / e), q) * rz
            x *= 1 + lean * (z / 0.215)
            x += 0.018 * (z / 0.215) * s
            n = math.hypot(x, z)
            P.append((cx * s + x * (1 + g / n), z * (1 + g / n)))
        return P

    cx = 0.335
    bend = lambda x: 0.16 * (x / 0.66) ** 2 * 1.0
    for s in (1, -1):
        inn, out = eye(cx, s), eye(cx, s, 0.056)
        th = 0.042
        prof = [
            (0.02, 1),
            (0.0, 0.8),
            (0.0, 0.2),
            (0.02, 0),
            (0.2, 0),
            (0.5, -0.06),
            (0.8, 0),
            (0.98, 0.12),
            (1.0, 0.3),
            (1.0, 0.8),
            (0.93, 1),
            (0.5, 1.0),
        ]
        rows = [
            [
                (a[0] + (b[0] - a[0]) * f, bend(a[0] + (b[0] - a[0]) * f) + (w) * th, a[1] + (b[1] - a[1]) * f)
                for a, b in zip(inn, out)
            ]
            for f, w in prof + [prof[0]]
        ]
        grid(rows, m, True, sub=1)
        grid(
            [
                [
                    (cx * s + (x - cx * s) * f, bend(cx * s + (x - cx * s) * f) + th * 0.5 - 0.012 * (1 - f * f), z * f)
                    for x, z in (inn if s > 0 else inn[::-1])
                ]
                for f in (0, 0.3, 0.6, 0.85, 1.01)
            ],
            gl,
            True,
        )
        # end piece and arm
        A = [
            (0.615, 0.0, 0.135, 0.05, 0.07),
            (0.665, 0.02, 0.14, 0.05, 0.07),
            (0.70, 0.06, 0.14, 0.045, 0.066),
            (0.705, 0.14, 0.138, 0.026, 0.062),
            (0.70, 0.5, 0.13, 0.022, 0.055),
            (0.69, 0.9, 0.11, 0.022, 0.05),
            (0.675, 1.10, 0.07, 0.022, 0.052),
            (0.655, 1.27, -0.06, 0.022, 0.058),
            (0.637, 1.40, -0.20, 0.022, 0.062),
            (0.632, 1.44, -0.25, 0.021, 0.052),
            (0.630, 1.47, -0.285, 0.016, 0.030),
            (0.630, 1.478, -0.295, 0.008, 0.012),
        ]
        C = np.array(A)
        t = np.linspace(0, len(A) - 1, 70)
        cc = np.array([np.interp(t, range(len(A)), C[:, i]) for i in range(5)]).T
        for _ in range(3):
            cc[1:-1] = 0.5 * cc[1:-1] + 0.25 * cc[:-2] + 0.25 * cc[2:]
        y0 = bend(0.62)
        rows = []
        for i in range(len(cc)):
            d = cc[min(i + 1, len(cc) - 1)] - cc[max(i - 1, 0)]
            d = Vector((d[0], d[1], d[2])).normalized()
            side = Vector((d.y, -d.x, 0)).normalized()
            up = Vector((0, 0, 1)) - d * d.z
            up.normalize()
            q = cc[i]
            rows.append(
                [
                    (s * (q[0] + side.x * u + up.x * v), y0 + q[1] + side.y * u + up.y * v, q[2] + up.z * v)
                    for u, v in rrect(q[3], q[4] * 2, min(q[3] * 0.45, 0.02), 4)
                ]
            )
        grid(rows, m, True, True)
        for zz in (0.125, 0.155):
            lathe([(0, 0), (0.011, 0), (0.011, 0.004), (0, 0.006)], 20, gold, (0, 0, 0)).matrix_world = __import__(
                'mathutils'
            ).Matrix.Translation((s * 0.632, bend(0.632) - 0.004, zz)) @ __import__('mathutils').Matrix.Rotation(
                math.pi / 2, 4, 'X'
            )
    # bridge
    B = [(-0.080, 0.055), (-0.045, 0.088), (0, 0.098), (0.045, 0.088), (0.080, 0.055)]
    q = Path(spline(B, 8))
    rows = []
    for sv in np.linspace(0, q.L, 40):
        c, t, n = q.at(sv)
        rows.append(
            [
                (c[0] + n[0] * v, bend(c[0]) + 0.021 + u, c[1] + n[1] * v)
                for u, v in rrect(0.042, 0.072 + 0.03 * abs(c[0]) / 0.12, 0.014, 4)
            ]
        )
    grid(rows, m, True, True)


def scene(**p):
    group(sunglasses, loc=(0.02, -0.42, 0.285), rot=(-3, 0, -33), **p)
    stage(0.8, cam=(0, -7.4, 3.6), tgt=(0.33, 0.06, 0.19), lens=80, key=420, back=190, fill=0.3)
    return dict(exposure=0.3, bounces=10)
