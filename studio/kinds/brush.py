"""A shaving brush."""

from kit import *


def brush(handle='#bda987', bristle='#e4d3b0', tip='#b08a55', ring='brass', turns=7):
    """a shaving brush standing on its handle; 1 unit = 5 cm, 2.15 high"""
    m = mat('resin', handle, 0.16, spec=0.55, coat=0.6)
    N, L = nt(m)
    n = tex(m, 'Noise', Scale=2.2, Detail=3.0, Distortion=0.8)
    ramp(m, n.outputs['Fac'], [(0.3, shade(handle, 0.94)), (0.7, shade(handle, 1.04))])
    profile = spline(
        [
            (0, 0, 'c'),
            (0.36, 0, 'c'),
            (0.40, 0.03),
            (0.405, 0.07),
            (0.37, 0.13),
            (0.30, 0.24),
            (0.265, 0.38),
            (0.30, 0.52),
            (0.375, 0.64),
            (0.40, 0.74),
            (0.385, 0.84),
            (0.33, 0.91, 'c'),
        ],
        8,
    )
    lathe([tuple(q) for q in profile] + [(0, 0.91)], 128, m)
    r = metal('ring', srgb('#c9a25e') if ring == 'brass' else (0.78, 0.78, 0.78, 1), 0.18)
    lathe([(0.30, 0.905), (0.335, 0.905), (0.345, 0.915), (0.345, 0.955), (0.335, 0.965), (0.28, 0.965)], 128, r)
    # bristles: bundles fanned from the ring to a dome, each a thin strand of three points
    rng = np.random.RandomState(3)
    hair = mat('bristle', bristle, 0.55, sheen=0.3, spec=0.3)
    N, L = nt(hair)
    g = N.new('ShaderNodeTexCoord')
    s = N.new('ShaderNodeSeparateXYZ')
    L.new(g.outputs['Object'], s.inputs[0])
    band = N.new('ShaderNodeMapRange')
    band.inputs[1].default_value = 1.55
    band.inputs[2].default_value = 2.2
    L.new(s.outputs['Z'], band.inputs[0])
    ramp(hair, band.outputs[0], [(0, bristle), (0.55, shade(bristle, 0.96)), (0.85, tip)])
    c = bpy.data.curves.new('bristles', 'CURVE')
    c.dimensions = '3D'
    c.bevel_depth = 0.0075
    c.bevel_resolution = 0
    k = 4200
    for i in range(k):
        q = math.sqrt((i + 0.5) / k)
        a = i * 2.39996
        a += rng.normal() * 0.02
        x, y = math.cos(a), math.sin(a)
        top = 1.62 + 0.56 * math.sqrt(max(0, 1 - (q * 0.97) ** 2.2)) + rng.normal() * 0.012
        R = 0.58 * q + rng.normal() * 0.006
        pts = [
            (0.27 * q * x, 0.27 * q * y, 0.94),
            (0.345 * q * x, 0.345 * q * y, 1.16),
            ((0.52 * q) * x, (0.52 * q) * y, 1.16 + (top - 1.16) * 0.62),
            (R * x, R * y, top),
        ]
        s = c.splines.new('POLY')
        s.points.add(3)
        for p, co in zip(s.points, pts):
            p.co = (*co, 1)
        s.points[3].radius = 0.45
    c.materials.append(hair)
    bpy.context.scene.collection.objects.link(bpy.data.objects.new('bristles', c))
    lathe(
        [(0, 0.95), (0.25, 0.95), (0.30, 1.16), (0.38, 1.5), (0.25, 1.8), (0, 1.9)],
        64,
        mat('core', shade(bristle, 0.8), 0.9),
    )
    wrap(
        'HABERDASH',
        0.060,
        0.392,
        0.735,
        mat('engraved', '#4a3a22' if bristle > '#888888' else '#d9d6cd', 0.6),
        0.0006,
        'Serif:bold',
        1.15,
    )


def scene(**p):
    group(brush, **p)
    stage(1, cam=(0, -8.4, 3.1), tgt=(0, 0, 1.02), lens=92, key=400, back=200, fill=0.3)
    return dict(exposure=0.3)
