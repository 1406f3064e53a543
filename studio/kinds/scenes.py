"""Composed scenes on the shop's table: the hero, the categories, the journal, the avatar. 1 unit = 10 cm."""

from kit import *
from kinds.bag import bag
from kinds.belt import belt
from kinds.bottle import bottle
from kinds.bowtie import bowtie
from kinds.brush import brush
from kinds.cap import cap
from kinds.cologne import cologne
from kinds.derby import derby, twin
from kinds.flask import flask
from kinds.glasses import sunglasses
from kinds.soap import bar, dish
from kinds.square import square
from kinds.stack import stack
from kinds.tie import rolled
from kinds.tin import base, lid
from kinds.trainer import trainer
from kinds.watch import watch

NAVY = ('#17233f', '#7d1f2b', '#d9c9a3')
OXBLOOD = dict(dark='#22060a', light='#5c1219', thread='#7e2a2e', laces='#4a0f15', edge='#33150f')


def table(wall_y=4.4, seed=5):
    """planks, and a plaster wall behind them"""
    rng = random.Random(seed)
    wood = timber('table', '#3d2a1d', '#7d5a3e', (0.7, 7, 7), 0.46, 1.3)
    y = -9.5
    while y < wall_y - 0.8:
        o = rbox(30, 1.28, 0.3, 0.012, wood, (0, y + 0.64, -0.15), 2)
        dx = rng.uniform(-40, 40)
        dz = rng.uniform(-3, 3)
        for v in o.data.vertices:
            v.co.x += dx
            v.co.z += dz
        o.location.x -= dx
        o.location.z -= dz
        y += 1.286
    plaster = mat('wall', '#d6ccbd', 0.92, spec=0.06)
    n = tex(plaster, 'Noise', Scale=1.1, Detail=9.0)
    ramp(plaster, n.outputs['Fac'], [(0.3, '#cfc4b4'), (0.7, '#dcd3c6')])
    bump(plaster, n.outputs['Fac'], 0.3, 0.06)
    grid([[(x, wall_y, z) for z in np.linspace(-1, 14, 12)] for x in np.linspace(-18, 18, 12)], plaster)


def window(spot=(-1.9, 4.4, 2.15), sun_energy=3.2, fill=0.20, key=760.0):
    """a soft window on the left, a little sun through its bars onto the wall, a cool return from the right"""
    world(fill, (0.93, 0.96, 1, 1))
    area((-6.2, -1.6, 4.6), (0.6, 0.6, 0.4), 3.6, key, (1, 0.965, 0.92), sy=4.2)
    area((6.5, -3, 3.2), (1, 0.5, 0.6), 3, 90, (0.95, 0.97, 1))
    area((2.5, 3.6, 5.2), (1.4, 1.0, 1), 2.2, 120, (1, 0.97, 0.92))
    if not sun_energy:
        return
    sun = bpy.data.lights.new('sun', 'SUN')
    sun.energy = sun_energy
    sun.angle = 0.035
    sun.color = (1, 0.93, 0.82)
    so = bpy.data.objects.new('sun', sun)
    bpy.context.scene.collection.objects.link(so)
    d = Vector((0.86, 0.80, -0.50))
    so.rotation_euler = d.to_track_quat('-Z', 'Y').to_euler()
    black = mat('bars', '#000000', 1)
    c0 = Vector(spot) - d.normalized() * 9
    q = d.to_track_quat('-Z', 'Y')

    def sheet(x0, x1, y0, y1):  # seen by shadow rays only
        V = [c0 + q @ Vector(p) for p in ((x0, y0, 0), (x1, y0, 0), (x1, y1, 0), (x0, y1, 0))]
        o = newobj('bar', V, [(0, 1, 2, 3)], None, black, False)
        o.visible_camera = o.visible_glossy = o.visible_diffuse = o.visible_transmission = False

    px = [-1.25, -0.43, 0.43, 1.25]
    py = [-1.9, -0.62, 0.62, 1.9]
    b = 0.07
    sheet(-30, px[0], -30, 30)
    sheet(px[3], 30, -30, 30)
    sheet(px[0], px[3], -30, py[0])
    sheet(px[0], px[3], py[3], 30)
    for x in px[1:3]:
        sheet(x - b, x + b, py[0], py[3])
    for v in py[1:3]:
        sheet(px[0], px[3], v - b, v + b)


def pair(fn, at, turns=(-27, -12), gap=(0.06, 1.30), s=1, **kw):
    """a pair of shoes, the left one mirrored"""
    outer = bpy.data.objects.new('pair', None)
    bpy.context.scene.collection.objects.link(outer)
    had = set(bpy.data.objects)
    e = group(fn, loc=(-1.5, 0, 0), **kw)
    q = bpy.data.objects.new('q', None)
    bpy.context.scene.collection.objects.link(q)
    e.parent = q
    q.rotation_euler = (0, 0, math.radians(turns[0]))
    twin(e, (*gap, 0), turns[1])
    for o in bpy.data.objects:
        if o not in had and o.parent is None:
            o.parent = outer
    outer.location = at
    outer.scale = (s, s, s)
    return outer


def garments(items, at, turn, s=1):
    top = [0]
    group(lambda: top.__setitem__(0, stack(items)), loc=at, rot=(0, 0, turn), s=s)
    return top[0] * s


def hero():
    table()
    h = garments(
        (
            ('knit', '#1f2c45', 0.10, dict(gauge=0.040)),
            ('knit', '#d8ccb6', 0.112, dict(gauge=0.052, rib=2, depth=0.02)),
            ('weave', '#8fb0d8', 0.05, dict()),
            ('weave', '#e9e7e0', 0.05, dict(stripe='#3f6cb4', pitch=0.11)),
            ('knit', '#34493c', 0.085, dict(gauge=0.032)),
        ),
        (1.75, 1.55, 0),
        -13,
    )
    group(belt, loc=(1.63, 1.60, h), rot=(0, 0, -22), s=0.80)
    pair(derby, (-1.05, 1.25, 0), (-24, -12), (0.18, 1.22))
    group(bottle, loc=(0.62, -0.28, 0), rot=(0, 0, 8), s=0.60)
    group(cologne, loc=(1.22, 0.10, 0), rot=(0, 0, 18), s=0.62)
    group(rolled, loc=(2.62, -0.35, 0), rot=(0, 0, 40), colors=NAVY, kind='repp', k=2.2, seed=0)
    group(
        rolled,
        loc=(1.98, -0.86, 0),
        rot=(0, 0, -40),
        colors=('#5d1722', '#7d1f2b', '#e4d6b8'),
        kind='dot',
        k=6.0,
        seed=1,
    )
    group(watch, loc=(-0.30, -0.80, 0.66), rot=(34, 0, -16), s=0.29, pose='loop')
    window()
    camera((0.35, -9.9, 4.0), (0.42, 0.35, 0.80), 86, fstop=0.9, focus=(0.6, -0.1, 0.5))
    return dict(exposure=0.40, bounces=12)


def formal():
    table()
    garments(
        (
            ('weave', '#e9e7e0', 0.05, dict(stripe='#3f6cb4', pitch=0.11)),
            ('weave', '#8fb0d8', 0.05, dict()),
            ('weave', '#f0eee8', 0.05, dict()),
        ),
        (0.95, 1.45, 0),
        -14,
        0.92,
    )
    pair(derby, (-0.75, 0.45, 0), (-30, -16), (0.25, 1.22), 0.9, **OXBLOOD)
    group(bowtie, loc=(1.05, 1.45, 0.565), rot=(0, 0, -10), s=0.55)
    group(rolled, loc=(1.55, -0.35, 0), rot=(0, 0, 40), colors=NAVY, kind='repp', k=2.2, seed=0)
    group(
        watch,
        loc=(0.75, -0.95, 0.62),
        rot=(34, 0, -16),
        s=0.28,
        pose='loop',
        case='gold',
        dialc='#c9a463',
        print_='#4a3412',
        dark='#744a14',
        light='#95651f',
        thread='#d9ad5a',
    )
    window((-1.4, 4.4, 2.4))
    camera((0.2, -9.6, 4.4), (0.06, 0.45, 0.44), 88, fstop=1.0, focus=(0.3, 0, 0.4))
    return dict(exposure=0.40)


def casual():
    table()
    h = garments(
        (
            ('knit', '#23324e', 0.10, dict(gauge=0.040)),
            ('knit', '#b07f24', 0.10, dict(gauge=0.034)),
            ('knit', '#d8ccb6', 0.112, dict(gauge=0.052, rib=2, depth=0.02)),
        ),
        (1.10, 1.95, 0),
        -14,
    )
    group(
        sunglasses,
        loc=(0.97, 1.32, h + 0.19),
        rot=(-3, 0, -22),
        s=0.70,
        acetate=('#6e4410', '#b27a22', '#cf9a3c'),
        shape='round',
    )
    pair(
        trainer,
        (-0.72, -0.30, 0),
        (-32, -18),
        (0.30, 1.22),
        0.85,
        colors={'upper': '#a88a60', 'thread': '#c7ad84', 'lace': '#b89c72', 'sole': '#e2dccd', 'lining': '#bda580'},
    )
    group(belt, loc=(1.42, -0.45, 0), rot=(0, 0, -30), s=0.50)
    window((-1.4, 4.4, 2.4))
    camera((0.2, -9.6, 4.4), (0.28, 0.45, 0.58), 84, fstop=1.0, focus=(0.3, 0, 0.4))
    return dict(exposure=0.40)


def sports():
    table()
    group(bag, loc=(0.35, 1.75, 0), rot=(0, 0, -16), s=1.15, color='#1b1c1e')
    group(flask, loc=(1.75, 0.05, 0), rot=(0, 0, 14), s=0.72, color='#174632', ink='#e9e2d0')
    pair(
        trainer,
        (-0.55, -0.45, 0),
        (-30, -16),
        (0.30, 1.20),
        0.85,
        style='runner',
        finish='mesh',
        colors={
            'upper': '#93979c',
            'overlay': '#c3c6ca',
            'stay': '#a9adb2',
            'heel': '#c3c6ca',
            'thread': '#7d8186',
            'lace': '#cfd1d3',
            'sole': '#d3d4d4',
            'lining': '#8a8e93',
        },
    )
    group(cap, loc=(1.35, -0.95, 0.12), rot=(0, 0, 22), s=0.78, color='#7d1a16', thread='#8f2a24')
    window((-1.4, 4.4, 2.6))
    camera((0.2, -9.8, 4.4), (0.30, 0.35, 0.68), 80, fstop=1.0, focus=(0.3, 0, 0.4))
    return dict(exposure=0.42)


def grooming():
    table()
    group(
        lambda: (
            group(dish),
            group(bar, loc=(0, 0, 0.16), rot=(0, 0, -6), s=1.1, color='#4d714d', fleck='#35523a', sub='FIG & VETIVER'),
        ),
        loc=(-0.62, -0.30, 0),
        rot=(0, 0, 18),
        s=0.52,
    )
    group(bottle, loc=(-0.35, 0.75, 0), rot=(0, 0, 6), s=0.62)
    group(cologne, loc=(0.62, 0.95, 0), rot=(0, 0, 16), s=0.74)
    group(brush, loc=(1.02, -0.20, 0), rot=(0, 0, 10), s=0.56)
    group(base, loc=(0.42, -0.70, 0), s=0.30)
    group(lid, loc=(0.20, -1.02, 0.175), rot=(47, -4, -14), s=0.30, color='#143528', ink='#e9dfc6')
    window((-1.0, 4.4, 1.9))
    camera((0.1, -8.4, 3.3), (0.18, 0.1, 0.50), 112, fstop=0.9, focus=(0.2, -0.1, 0.4))
    return dict(exposure=0.40, bounces=14)


def journal_square():
    table()
    group(square, loc=(-0.35, -0.20, 0), rot=(0, 0, 16), s=0.60, color='#a97c26', border='#1a2346')
    group(square, loc=(1.15, 0.75, 0), rot=(0, 0, -14), s=0.60, color='#1a4a30', dots='#e6dec8')
    group(rolled, loc=(-1.30, 1.05, 0), rot=(0, 0, 30), colors=NAVY, kind='repp', k=2.2, seed=0)
    window((-1.0, 4.4, 2.2))
    camera((0.1, -7.2, 6.0), (-0.05, 0.42, 0.12), 122, fstop=1.4)
    return dict(exposure=0.45)


def journal_wool():
    table()
    garments(
        (
            ('knit', '#23324e', 0.10, dict(gauge=0.040)),
            ('knit', '#34493c', 0.085, dict(gauge=0.032)),
            ('knit', '#7d1f2b', 0.09, dict(gauge=0.034)),
            ('knit', '#b07f24', 0.10, dict(gauge=0.034)),
            ('knit', '#d8ccb6', 0.118, dict(gauge=0.056, rib=2, depth=0.022)),
        ),
        (0.3, 0.9, 0),
        -16,
    )
    cedar = timber('cedar', '#7a4a2a', '#b98254', (1.2, 9, 9))
    rbox(0.62, 0.40, 0.36, 0.04, cedar, (-1.45, -0.35, 0.18), 3, (0, 0, 0.4))
    rbox(0.62, 0.40, 0.36, 0.04, cedar, (-1.05, -0.85, 0.18), 3, (0, 0, -0.3))
    window((-1.4, 4.4, 2.3))
    camera((0, -9.0, 3.8), (0.05, 0.4, 0.72), 90, fstop=1.0, focus=(0.2, -0.3, 0.6))
    return dict(exposure=0.40)


def journal_shoes():
    table()
    pair(derby, (-0.30, 0.40, 0), (-27, -12), (0.18, 1.25), **OXBLOOD)
    group(base, loc=(1.55, -0.30, 0), s=0.40, content='#4a1216')
    polishing_cloth()
    window((-1.4, 4.4, 2.3))
    camera((0.1, -9.2, 4.1), (0.25, 0.35, 0.45), 92, fstop=1.0, focus=(0.2, -0.3, 0.4))
    return dict(exposure=0.40)


def polishing_cloth():
    """a polishing cloth, folded"""
    from kinds.stack import weave, folded

    return group(
        lambda: folded(weave('cloth', '#d9cbb0'), w=1.1, d=1.2, t=0.03, seed=6), loc=(-1.20, -0.85, 0), rot=(0, 0, 22)
    )


def journal_sleeve():
    table()
    garments(
        (
            ('weave', '#e9e7e0', 0.05, dict(stripe='#3f6cb4', pitch=0.11)),
            ('knit', '#1c2440', 0.12, dict(gauge=0.02)),
        ),
        (0.1, 0.7, 0),
        -14,
    )
    group(
        watch,
        loc=(-0.05, 0.55, 0.80),
        rot=(0, 0, -30),
        s=0.30,
        case='gold',
        dialc='#c9a463',
        print_='#4a3412',
        dark='#744a14',
        light='#95651f',
        thread='#d9ad5a',
    )
    tape = mat('tape', '#dcb13f', 0.6)
    a = np.linspace(0, 4 * math.pi, 60)
    ribbon(
        [((0.34 + 0.020 * t) * math.cos(t) - 1.62, (0.34 + 0.020 * t) * math.sin(t) - 0.55, 0.08) for t in a],
        0.15,
        0.012,
        tape,
        (0, 0, 1),
        260,
    )
    window((-1.4, 4.4, 2.3))
    camera((0, -7.8, 5.6), (0, 0.3, 0.3), 88, fstop=1.2, focus=(0, 0.2, 0.6))
    return dict(exposure=0.42)


ALL = dict(
    hero=hero,
    formal=formal,
    casual=casual,
    sports=sports,
    grooming=grooming,
    square=journal_square,
    wool=journal_wool,
    shoes=journal_shoes,
    sleeve=journal_sleeve,
)


def scene(name):
    return ALL[name]()
