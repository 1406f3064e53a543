"""A flacon of cologne on a stone."""

from kit import *


def block(w, d, h, r, z0, m, bot=0.06, seg=6):
    rows = []
    prof = [(-0.06, 0), (-0.012, 0.012), (0, bot)] + [(0, h - bot)] + [(-0.012, h - 0.012), (-0.06, h)]
    ring = lambda g: [(x * (w / 2 + g) / (w / 2), y * (d / 2 + g) / (d / 2)) for x, y in rrect(w, d, r, seg)]
    return grid([[(x, y, z0 + z) for x, y in ring(g)] for g, z in prof], m, True, True)


def cologne(
    liquid=(0.90, 0.66, 0.34), cap='black', number='No. 7', scent='AMBER & TOBACCO', volume='100 ml', opaque=None
):
    """square flacon 1.15 x .55 x 1.45, thick base, heavy cap"""
    g = (
        mat('black glass', opaque, 0.08, spec=0.6, coat=0.6)
        if opaque
        else glass('flint', (0.97, 0.985, 0.98, 1), (0.9, 0.92, 0.91, 1))
    )
    o = block(1.15, 0.58, 1.46, 0.10, 0, g)
    li = mat('cologne', (*liquid, 1), 0.0, trans=1, ior=1.18)
    N, L = nt(li)
    tr = N.new('ShaderNodeBsdfTransparent')
    tr.inputs[0].default_value = (*[0.35 + 0.62 * c for c in liquid], 1)
    mx = N.new('ShaderNodeMixShader')
    lp = N.new('ShaderNodeLightPath')
    L.new(lp.outputs['Is Shadow Ray'], mx.inputs[0])
    L.new(N['Principled BSDF'].outputs[0], mx.inputs[1])
    L.new(tr.outputs[0], mx.inputs[2])
    L.new(mx.outputs[0], N['Material Output'].inputs['Surface'])
    if not opaque:
        block(0.99, 0.42, 1.06, 0.06, 0.17, li, 0.03)
    gold = metal('gold', srgb('#c39a5c'), 0.2)
    lathe([(0.0, 1.46), (0.215, 1.46), (0.225, 1.47), (0.225, 1.54), (0.19, 1.55), (0, 1.55)], 96, gold)
    b = (
        metal('cap', (0.72, 0.72, 0.72, 1), 0.3, 0.12, (1, 1, 60))
        if cap == 'steel'
        else mat('cap', '#1c1b1a', 0.55 if cap == 'matte' else 0.2, spec=0.5, coat=0 if cap == 'matte' else 0.6)
    )
    c = lathe([(0, 1.56), (0.255, 1.56), (0.265, 1.57), (0.265, 2.06), (0.25, 2.085), (0, 2.09)], 160, b)
    lathe([(0.268, 1.60), (0.27, 1.605), (0.27, 1.63), (0.268, 1.635)], 128, gold)
    text('H', 0.2, gold, (0, 0, 2.091), ext=0.003)
    ink = gold if opaque else mat('ink', '#1d1b18', 0.5)
    y = -0.2935
    R = (math.pi / 2, 0, 0)
    lab = mat('lab', '#18181a' if opaque else '#efe8da', 0.6, spec=0.2)
    rbox(0.80, 0.008, 0.62, 0.003, lab, (0, y, 0.70), 2)
    y -= 0.006
    text('HABERDASH', 0.098, ink, (0, y, 0.84), R, 0.001, space=1.1)
    rbox(0.3, 0.004, 0.006, 0.001, ink, (0, y, 0.755), 1)
    text(number, 0.12, ink, (0, y, 0.665), R, 0.001, style='Serif:italic')
    text(scent, 0.042, ink, (0, y, 0.555), R, 0.001, style='Sans', space=1.25)
    text(volume, 0.038, ink, (0, y, 0.47), R, 0.001, style='Sans', space=1.2)
    for x, z, a, c_ in ((0, 0.985, 0.74, 0.006), (0, 0.415, 0.74, 0.006)):
        rbox(a, 0.004, c_, 0.001, ink, (x, y, z), 1)
    for x in (-0.37, 0.37):
        rbox(0.006, 0.004, 0.576, 0.001, ink, (x, y, 0.70), 1)
    if not opaque:
        tube(
            [(0, 0, 1.46), (0.01, 0, 0.8), (0.03, 0, 0.2)],
            0.018,
            mat('dip', (0.95, 0.95, 0.95, 1), 0.05, trans=1, ior=1.3),
        )


def plinth():
    stone = mat('stone', '#cfc7ba', 0.6, spec=0.3)
    veins = tex(stone, 'Noise', Scale=2.2, Detail=12.0, Distortion=1.5)
    ramp(stone, veins.outputs['Fac'], [(0.3, '#b7ad9e'), (0.5, '#d8d0c4'), (0.72, '#ece6dc')])
    rbox(2.0, 1.5, 0.2, 0.03, stone, (0.0, 0.1, -0.1)).rotation_euler.z = -0.2


def scene(**p):
    plinth()
    group(cologne, rot=(0, 0, 16), **p)
    stage(1, cam=(0, -8.5, 2.5), tgt=(0, 0, 0.86), lens=84, key=400, back=230, fill=0.3, z=-0.2)
    return dict(exposure=0.3, bounces=14)
