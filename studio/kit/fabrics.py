"""Fabrics and materials: cloth, leather, metal, wood, glass, paper."""

import bpy
import numpy as np
from .shapes import K


def srgb(h):
    h = h.lstrip('#')
    c = [int(h[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    return tuple((x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4) for x in c) + (1,)


def nt(mat):
    mat.use_nodes = True
    return mat.node_tree.nodes, mat.node_tree.links


def mat(name, color='#888888', rough=0.8, sheen=0, metal=0, spec=0.3, trans=0, coat=0, ior=1.45):
    m = bpy.data.materials.new(name)
    N, L = nt(m)
    b = N['Principled BSDF']
    b.inputs['Base Color'].default_value = srgb(color) if isinstance(color, str) else color
    b.inputs['Roughness'].default_value = rough
    b.inputs['Metallic'].default_value = metal
    b.inputs['Specular'].default_value = spec
    b.inputs['Sheen'].default_value = sheen
    b.inputs['Transmission'].default_value = trans
    b.inputs['Clearcoat'].default_value = coat
    b.inputs['IOR'].default_value = ior
    return m


def npimage(name, arr, data=False):
    """arr HxWx3 or HxW float 0..1, row 0 = bottom"""
    if arr.ndim == 2:
        arr = np.repeat(arr[:, :, None], 3, 2)
    h, w = arr.shape[:2]
    im = bpy.data.images.new(name, w, h, float_buffer=data)
    if data:
        im.colorspace_settings.name = 'Non-Color'
    a = np.ones((h, w, 4), np.float32)
    a[:, :, :3] = arr
    im.pixels.foreach_set(a.ravel())
    im.update()
    im.pack()
    return im


def fabric(
    name,
    color=None,
    colimg=None,
    heightimg=None,
    weave=260,
    weave_h=0.25,
    height=0.01,
    rough=0.85,
    sheen=0.35,
    kind='twill',
    fuzz=0.08,
    backcolor=None,
):
    m = mat(name, color or '#888888', rough, sheen, spec=0.18)
    N, L = nt(m)
    b = N['Principled BSDF']
    uv = N.new('ShaderNodeTexCoord')
    if colimg:
        t = N.new('ShaderNodeTexImage')
        t.image = colimg
        t.interpolation = 'Cubic'
        L.new(uv.outputs['UV'], t.inputs['Vector'])
        col = t.outputs['Color']
    else:
        r = N.new('ShaderNodeRGB')
        r.outputs[0].default_value = srgb(color)
        col = r.outputs[0]
    # heather / yarn variation
    nz = N.new('ShaderNodeTexNoise')
    nz.inputs['Scale'].default_value = weave * 1.2
    nz.inputs['Detail'].default_value = 3
    mp = N.new('ShaderNodeMapping')
    L.new(uv.outputs['UV'], mp.inputs['Vector'])
    mp.inputs['Scale'].default_value = (1, 0.35, 1)
    L.new(mp.outputs[0], nz.inputs['Vector'])
    hv = N.new('ShaderNodeHueSaturation')
    mr = N.new('ShaderNodeMapRange')
    mr.inputs[1].default_value = 0.3
    mr.inputs[2].default_value = 0.7
    mr.inputs[3].default_value = 1 - fuzz
    mr.inputs[4].default_value = 1 + fuzz
    L.new(nz.outputs['Fac'], mr.inputs[0])
    L.new(mr.outputs[0], hv.inputs['Value'])
    L.new(col, hv.inputs['Color'])
    L.new(hv.outputs[0], b.inputs['Base Color'])
    # weave bump
    w1 = N.new('ShaderNodeTexWave')
    w1.inputs['Scale'].default_value = weave / 6.28 * 2
    w1.inputs['Distortion'].default_value = 0.6
    w1.inputs['Detail'].default_value = 1
    w1.bands_direction = 'DIAGONAL' if kind == 'twill' else 'X'
    mp2 = N.new('ShaderNodeMapping')
    L.new(uv.outputs['UV'], mp2.inputs['Vector'])
    if kind == 'twill':
        mp2.inputs['Scale'].default_value = (1, 0.8, 0)
    L.new(mp2.outputs[0], w1.inputs['Vector'])
    hgt = w1.outputs['Fac']
    if kind in ('plain', 'knit'):
        w2 = N.new('ShaderNodeTexWave')
        w2.bands_direction = 'Y'
        w2.inputs['Scale'].default_value = weave / 6.28 * 2 * (1 if kind == 'plain' else 1.6)
        w2.inputs['Distortion'].default_value = 0.6
        L.new(uv.outputs['UV'], w2.inputs['Vector'])
        a = N.new('ShaderNodeMath')
        a.operation = 'MULTIPLY' if kind == 'plain' else 'ADD'
        L.new(w1.outputs['Fac'], a.inputs[0])
        L.new(w2.outputs['Fac'], a.inputs[1])
        hgt = a.outputs[0]
    bp = N.new('ShaderNodeBump')
    bp.inputs['Strength'].default_value = weave_h
    bp.inputs['Distance'].default_value = 0.004
    L.new(hgt, bp.inputs['Height'])
    last = bp
    b2 = N.new('ShaderNodeBump')
    b2.inputs['Strength'].default_value = 0.12
    b2.inputs['Distance'].default_value = 0.004
    L.new(nz.outputs['Fac'], b2.inputs['Height'])
    L.new(bp.outputs[0], b2.inputs['Normal'])
    last = b2
    if heightimg:
        t = N.new('ShaderNodeTexImage')
        t.image = heightimg
        t.interpolation = 'Cubic'
        L.new(uv.outputs['UV'], t.inputs['Vector'])
        b3 = N.new('ShaderNodeBump')
        b3.inputs['Strength'].default_value = 1
        b3.inputs['Distance'].default_value = height
        L.new(t.outputs['Color'], b3.inputs['Height'])
        L.new(last.outputs[0], b3.inputs['Normal'])
        last = b3
    L.new(last.outputs[0], b.inputs['Normal'])
    return m


def bump(m, fac, strength, dist, chain=None):
    N, L = nt(m)
    b = N.new('ShaderNodeBump')
    b.inputs['Strength'].default_value = strength
    b.inputs['Distance'].default_value = dist * K[0]
    L.new(fac, b.inputs['Height'])
    if chain:
        L.new(chain.outputs[0], b.inputs['Normal'])
    L.new(b.outputs[0], N['Principled BSDF'].inputs['Normal'])
    return b


def tex(m, kind, coord='Object', scale=(1, 1, 1), **kw):
    N, L = nt(m)
    tc = N.new('ShaderNodeTexCoord')
    mp = N.new('ShaderNodeMapping')
    mp.inputs['Scale'].default_value = scale
    L.new(tc.outputs[coord], mp.inputs['Vector'])
    t = N.new('ShaderNodeTex' + kind)
    L.new(mp.outputs[0], t.inputs['Vector'])
    for k, v in kw.items():
        if k in t.inputs:
            t.inputs[k].default_value = v
        else:
            setattr(t, k, v)
    return t


def ramp(m, fac, stops, to='Base Color'):
    N, L = nt(m)
    r = N.new('ShaderNodeValToRGB')
    e = r.color_ramp.elements
    while len(e) < len(stops):
        e.new(0.5)
    for x, (p, c) in zip(e, stops):
        x.position = p
        x.color = srgb(c) if isinstance(c, str) else (c, c, c, 1)
    L.new(fac, r.inputs[0])
    if to:
        L.new(r.outputs[0], N['Principled BSDF'].inputs[to])
    return r


def leather(name, dark, light, grain=60, rough=0.42, g=0.006, coat=0, blotch=4.0):
    m = mat(name, light, rough, spec=0.4, coat=coat)
    nz = tex(m, 'Noise', Scale=blotch, Detail=7.0)
    ramp(m, nz.outputs['Fac'], [(0.3, dark), (0.7, light)])
    v = tex(m, 'Voronoi', Scale=float(grain))
    b = bump(m, v.outputs['Distance'], 0.3, g)
    n2 = tex(m, 'Noise', Scale=float(grain) * 3)
    bump(m, n2.outputs['Fac'], 0.15, g * 0.5, b)
    return m


def metal(name, color=(0.80, 0.79, 0.77, 1), rough=0.18, brush=0, bs=(1, 1, 60)):
    m = mat(name, color, rough, metal=1)
    if brush:
        t = tex(m, 'Noise', scale=bs, Scale=8.0, Detail=4.0)
        bump(m, t.outputs['Fac'], brush, 0.003)
    return m


def timber(name='w', dark='#4b2f1b', light='#a9794b', scale=(1.2, 9, 9), rough=0.5, k=1.6, planks=0, seam=0):
    m = mat(name, light, rough, spec=0.3)
    N, L = nt(m)
    nz = tex(m, 'Noise', scale=scale, Scale=k, Detail=10.0, Distortion=1.0)
    fine = tex(m, 'Noise', scale=(scale[0], scale[1] * 7, scale[2] * 7), Scale=k * 2, Detail=4.0)
    mx = N.new('ShaderNodeMath')
    mx.operation = 'MULTIPLY_ADD'
    L.new(fine.outputs['Fac'], mx.inputs[0])
    mx.inputs[1].default_value = 0.35
    sb = N.new('ShaderNodeMath')
    sb.operation = 'MULTIPLY'
    L.new(nz.outputs['Fac'], sb.inputs[0])
    sb.inputs[1].default_value = 0.68
    L.new(sb.outputs[0], mx.inputs[2])
    ramp(m, mx.outputs[0], [(0.33, dark), (0.68, light)])
    bump(m, mx.outputs[0], 0.25, 0.012)
    return m


def glass(name, color, shadow, ior=1.5, rough=0.0):
    m = mat(name, color, rough, trans=1, ior=ior, spec=0.5)
    N, L = nt(m)
    b = N['Principled BSDF']
    tr = N.new('ShaderNodeBsdfTransparent')
    tr.inputs[0].default_value = shadow
    mx = N.new('ShaderNodeMixShader')
    lp = N.new('ShaderNodeLightPath')
    mm = N.new('ShaderNodeMath')
    mm.operation = 'MAXIMUM'
    L.new(lp.outputs['Is Shadow Ray'], mm.inputs[0])
    L.new(lp.outputs['Is Diffuse Ray'], mm.inputs[1])
    L.new(mm.outputs[0], mx.inputs[0])
    L.new(b.outputs[0], mx.inputs[1])
    L.new(tr.outputs[0], mx.inputs[2])
    L.new(mx.outputs[0], N['Material Output'].inputs['Surface'])
    return m


def clear(name='gl', ior=1.25, tint=(1, 1, 1, 1)):
    m = bpy.data.materials.new(name)
    N, L = nt(m)
    N.remove(N['Principled BSDF'])
    tr = N.new('ShaderNodeBsdfTransparent')
    tr.inputs[0].default_value = tint
    gs = N.new('ShaderNodeBsdfGlossy')
    gs.inputs['Roughness'].default_value = 0.01
    fr = N.new('ShaderNodeFresnel')
    fr.inputs[0].default_value = ior
    mx = N.new('ShaderNodeMixShader')
    L.new(fr.outputs[0], mx.inputs[0])
    L.new(tr.outputs[0], mx.inputs[1])
    L.new(gs.outputs[0], mx.inputs[2])
    L.new(mx.outputs[0], N['Material Output'].inputs[0])
    return m


def printed(name, img, rough=0.6, spec=0.25):
    m = mat(name, '#ffffff', rough, spec=spec)
    N, L = nt(m)
    t = N.new('ShaderNodeTexImage')
    t.image = img
    t.interpolation = 'Cubic'
    L.new(t.outputs[0], N['Principled BSDF'].inputs['Base Color'])
    return m


def shade(color, f):
    """a colour made lighter or darker"""
    c = color.lstrip('#')
    return '#' + ''.join('%02x' % max(0, min(255, round(int(c[i : i + 2], 16) * f))) for i in (0, 2, 4))
