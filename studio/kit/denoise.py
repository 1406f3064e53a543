"""Denoising: the network of Open Image Denoise, run in numpy with the original weights (Apache-2.0)."""

import os
import struct
import numpy as np

WEIGHTS = os.environ.get('OIDN_WEIGHTS', '')


def load(name):
    b = open(os.path.join(WEIGHTS, name + '.tza'), 'rb').read()
    magic, maj, mi, off = struct.unpack_from('<HBBQ', b, 0)
    assert magic == 0x41D7
    (n,) = struct.unpack_from('<I', b, off)
    p = off + 4
    T = {}
    for _ in range(n):
        (l,) = struct.unpack_from('<H', b, p)
        p += 2
        nm = b[p : p + l].decode()
        p += l
        nd = b[p]
        p += 1
        dims = struct.unpack_from('<%dI' % nd, b, p)
        p += 4 * nd
        p += nd
        dt = chr(b[p])
        p += 1
        (o,) = struct.unpack_from('<Q', b, p)
        p += 8
        t = np.dtype('<f4' if dt == 'f' else '<f2')
        T[nm] = np.frombuffer(b, t, int(np.prod(dims)), o).reshape(dims).astype(np.float32)
    return T


def conv(T, n, x, relu=True):
    """3x3 convolution, with a border of zeros: one matrix product for each of the nine neighbours, on a few rows at a time so that all of it stays in the processor's cache"""
    W = T[n + '.weight']
    B = T[n + '.bias'][:, None]
    o, c = W.shape[:2]
    h, w = x.shape[1:]
    line = w + 2  # with its border; in the flattened picture a neighbour is then a fixed number of pixels away
    flat = np.zeros((c, (h + 3) * line), np.float32)
    flat[:, : (h + 2) * line].reshape(c, h + 2, line)[:, 1:-1, 1:-1] = x
    W = np.ascontiguousarray(W.transpose(2, 3, 0, 1).reshape(9, o, c))
    steps = [dy * line + dx for dy in range(3) for dx in range(3)]
    out = np.empty((o, h * line), np.float32)
    for a in range(0, h * line, 2 * line):
        b = min(a + 2 * line, h * line)
        r = W[0] @ flat[:, a:b]
        for k in range(1, 9):
            r += W[k] @ flat[:, a + steps[k] : b + steps[k]]
        r += B
        if relu:
            np.maximum(r, 0, out=r)
        out[:, a:b] = r
    return out.reshape(o, h, line)[:, :, :w]


pool = lambda x: x.reshape(x.shape[0], x.shape[1] // 2, 2, x.shape[2] // 2, 2).max((2, 4))
up = lambda x: x.repeat(2, 1).repeat(2, 2)
cat = lambda *a: np.concatenate(a, 0)


def denoise(col, alb, nrm, net='rt_ldr_calb_cnrm'):
    """col,alb,nrm: HxWx3 float; col sRGB-coded 0..1"""
    T = load(net)
    h, w = col.shape[:2]
    H = -(-h // 16) * 16
    Wd = -(-w // 16) * 16
    x = np.concatenate([col, np.clip(alb, 0, 1), nrm * 0.5 + 0.5], 2).transpose(2, 0, 1).astype(np.float32)
    x = np.pad(x, ((0, 0), (0, H - h), (0, Wd - w)), mode='reflect')
    c = lambda n, x: conv(T, n, x)
    e = c('enc_conv0', x)
    e = c('enc_conv1', e)
    p1 = pool(e)
    p2 = pool(c('enc_conv2', p1))
    p3 = pool(c('enc_conv3', p2))
    p4 = pool(c('enc_conv4', p3))
    b = c('enc_conv5b', c('enc_conv5a', p4))
    d = c('dec_conv4b', c('dec_conv4a', cat(up(b), p3)))
    d = c('dec_conv3b', c('dec_conv3a', cat(up(d), p2)))
    d = c('dec_conv2b', c('dec_conv2a', cat(up(d), p1)))
    d = c('dec_conv1b', c('dec_conv1a', cat(up(d), x)))
    d = conv(T, 'dec_conv0', d, False)
    return np.clip(d.transpose(1, 2, 0)[:h, :w], 0, 1)
