"""What the studio says while it works, and where it keeps what it can use again."""

import os
import time

START = time.time()


def log(*words):
    print('[%6.1f s]' % (time.time() - START), *words, flush=True)


def cache_file(name):
    """a file in the cache folder (settled garments)"""
    folder = os.environ.get('STUDIO_CACHE', os.path.join(os.path.dirname(__file__), '..', '.cache'))
    os.makedirs(folder, exist_ok=True)
    return os.path.join(folder, name)
