# case: JPEG files of all samplings by every transform
import base64, itertools, zlib
files = {
    "444": """
/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABIMDRANCxIQDhAUExIVGywdGxgYGzYnKSAsQDlEQz85Pj1HUGZXR0thTT0+WXla
YWltcnNyRVV9hnxvhWZwcm7/2wBDARMUFBsXGzQdHTRuST5Jbm5ubm5ubm5ubm5ubm5ubm5ubm5ubm5ubm5ubm5ubm5ubm5u
bm5ubm5ubm5ubm5ubm7/wAARCAASABUDAREAAhEBAxEB/8QAFwABAQEBAAAAAAAAAAAAAAAAAwEFBP/EACYQAAICAQMDAwUA
AAAAAAAAAAECAxEhABIxBBNRIkFxBRRhgZH/xAAYAQEBAQEBAAAAAAAAAAAAAAAEBQMGAf/EACkRAAECBQIFBAMAAAAAAAAA
AAECEQADITFRBEFxkbHB8BJhgaEiI9H/2gAMAwEAAhEDEQA/AFSOKB7dmTNLZyx9qxZ+PxrKZq/yUkPQm2bA8Mv7NSkClyyu
weGnaCwe6F7KhgjNTBjwfc2ATgjN6ChClncu/vT5YXh2nlLG1+g+uR4XjJ63rRLNc5KE5okUL+B4oecD9VZGmCUsIppmSdMA
hRrwPl3jS6h3k+nxyCRNoClgrUz8G1vII54OCDqbLl/sLh3e/fPO4aCafTpSssnPQiuxB6iOOSaWUs5va5sE0SwybxzQvOPG
BqpKkBJCR4fOPOErXLkJHpFreO5GR8ncxI1O1TYRtoBCtX9znm9MEvZniNO1Cleky6Uqz/Z33Oc1ixov2cR2i+84uvGytAkk
lVcDrHRXmscDqYPpPWyl/UaHOffVNmds/wAjmZ6ipKCouW7mGHpjXbi741khRKlg7HsI8YMI/9k=""",
    "422": """
/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABIMDRANCxIQDhAUExIVGywdGxgYGzYnKSAsQDlEQz85Pj1HUGZXR0thTT0+WXla
YWltcnNyRVV9hnxvhWZwcm7/2wBDARMUFBsXGzQdHTRuST5Jbm5ubm5ubm5ubm5ubm5ubm5ubm5ubm5ubm5ubm5ubm5ubm5u
bm5ubm5ubm5ubm5ubm7/wAARCAASABUDASEAAhEBAxEB/8QAGAAAAwEBAAAAAAAAAAAAAAAAAAIDBAX/xAAmEAACAQIFBAMB
AQAAAAAAAAABAhEDIQAEEjFBEyJRYXGx8IHR/8QAFgEBAQEAAAAAAAAAAAAAAAAABQME/8QAJhEAAQMDAgUFAAAAAAAAAAAA
AQACAwQRIRIxQXGBkfAiUWGx4f/aAAwDAQACEQMRAD8AulLpjU4IRTBdhMcX8fPF8TqZnq0KpSt09RCghZKEk8gmZ07+DabD
GSSQzPwMDfnfz26qdNDrOq17KFXMu+YdkzFRNQBPdpE7efAH65MbGwekYHb8S4FI0WeW3C2jNmnRfqMhrKCihQVBJi4BmYIa
/r3jn5t+pmGZ6jKxJCPqMfXO8Rb1tiNHCdWq3dRhibA0v2S08ujKDUURAjiLRz8D9sYUJI2Q752FxJaTyOPrzggd+dol+6x3
vzP3fFa4ArOQIOnf+viEO/RM1gDY3W8wne7AHYD/AHBjBVzytmIa4gY4/CHY0adl/9k=""",
    "420": """
/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABIMDRANCxIQDhAUExIVGywdGxgYGzYnKSAsQDlEQz85Pj1HUGZXR0thTT0+WXla
YWltcnNyRVV9hnxvhWZwcm7/2wBDARMUFBsXGzQdHTRuST5Jbm5ubm5ubm5ubm5ubm5ubm5ubm5ubm5ubm5ubm5ubm5ubm5u
bm5ubm5ubm5ubm5ubm7/wAARCAATABcDASIAAhEBAxEB/8QAGQABAAMBAQAAAAAAAAAAAAAAAAEDBAIF/8QAJhAAAgEDAwME
AwAAAAAAAAAAAQIRAAMhBBIxQWFxEyJR0QUyQv/EABcBAAMBAAAAAAAAAAAAAAAAAAIDBAX/xAAjEQABAwMCBwAAAAAAAAAA
AAABAAIDBBESIXETMVFSkbGy/9oADAMBAAIRAxEAPwDRa06hWLAKgMzPtjM4qLurIMAW0htr7HVnWIPB7Bo5zEwcVw+stOqu
guIbiDaVA3BdzAjqBJA4zwekV5oB9WDaREJmFk4n57DzSWRvqHEv8J0FM2MZy8ldqNa73BeFy6D+oO4YieSAM+49JzSqwocH
comdwKg4nnHzgUq/gwsAa5Ty1xyswC2ys1xn8pYQxtuoC4jklQxPmSc/QqbhK32UHG5fP89aUo6UaDZU1pIi07h8rSqL6t1c
wG4nsPulKU1jWkXI6+1i3K//2Q==""",
    "420 progressive": """
/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABIMDRANCxIQDhAUExIVGywdGxgYGzYnKSAsQDlEQz85Pj1HUGZXR0thTT0+WXla
YWltcnNyRVV9hnxvhWZwcm7/2wBDARMUFBsXGzQdHTRuST5Jbm5ubm5ubm5ubm5ubm5ubm5ubm5ubm5ubm5ubm5ubm5ubm5u
bm5ubm5ubm5ubm5ubm7/wgARCAARABQDASIAAhEBAxEB/8QAFgABAQEAAAAAAAAAAAAAAAAAAAMC/8QAGQEAAQUAAAAAAAAA
AAAAAAAAAwABAgQF/9oADAMBAAIQAxAAAAGjMByMLSVGLQGzv//EABwQAAICAgMAAAAAAAAAAAAAAAABAhIDQhEiMv/aAAgB
AQABBQJRG6knyX7Iqa6Y/P8A/8QAGxEAAQQDAAAAAAAAAAAAAAAAEQACAyEEEBT/2gAIAQMBAT8BZELcukUFka//xAAaEQAC
AgMAAAAAAAAAAAAAAAAAAQIDEBES/9oACAECAQE/AeXY9sVRDH//xAAcEAABBAMBAAAAAAAAAAAAAAAAARARQSExkYH/2gAI
AQEABj8CMVbSipwg0cPW/8QAHhAAAgICAgMAAAAAAAAAAAAAAREAITFBEFFxsfD/2gAIAQEAAT8hcnDgQOjIUIFGQwLlg2nQ
1G28SlWh9oGHzA4P/9oADAMBAAIAAwAAABDDJ4H/xAAbEQACAQUAAAAAAAAAAAAAAAAAARARITFBgf/aAAgBAwEBPxBS6Cu0
M+OP/8QAGxEAAQQDAAAAAAAAAAAAAAAAAQAQQXEhUfD/2gAIAQIBAT8QEI66kADBULb/xAAfEAEAAgICAgMAAAAAAAAAAAAB
ESEAQTFxofCxwdH/2gAIAQEAAT8QAMBLHZ+XjyYHIGSl3Tqz4Si4CEtVVvcuAichJoaWvJYxaEmhRK6kKxtGpnl9cZkEDFMR
4vvOL0tzwmHD39Gf/9k=""",
    "grey": """
/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABIMDRANCxIQDhAUExIVGywdGxgYGzYnKSAsQDlEQz85Pj1HUGZXR0thTT0+WXla
YWltcnNyRVV9hnxvhWZwcm7/wAALCAARABMBAREA/8QAGAAAAwEBAAAAAAAAAAAAAAAABAUGAAP/xAAtEAACAQMCAwQLAAAA
AAAAAAABAgMEESEAEiIxUQVBcaEGMjQ1Q2F1gbLB0f/aAAgBAQAAPwAKkom3DYLKF4bjPW+B0sP7p5Q0qqLOOHcGUtgk28u/
XRZKKRQ8cU8ykXDwxSOp8CqkG3LnrUtKu7cYxxW3Yvjvz56Gre0zBW7Ia2CGGNWiYsrMwawypAsWUt6vyzz4VsHpAhiDNRVR
ZiWYw1csSXJubKosM/fqSbnVsnw/H9HU+fdUH0iT8ItIKT2ZPDX/2Q==""",
    "CMYK": """
/9j/7gAOQWRvYmUAZAAAAAAA/9sAQwASDA0QDQsSEA4QFBMSFRssHRsYGBs2JykgLEA5REM/OT49R1BmV0dLYU09Pll5WmFp
bXJzckVVfYZ8b4VmcHJu/8AAFAgAEQASBEMRAE0RAFkRAEsRAP/EABgAAQEBAQEAAAAAAAAAAAAAAAUEBgMC/8QAOxAAAQMC
AwQECwcFAAAAAAAAAQIDEQAEBRIhEzFBUSJxsbIGFDIzNDVhYnJ0kSNSc3WBwfChorPC8f/aAA4EQwBNAFkASwAAPwC1++Us
lEEFJAgrMzzj+cKJurlwtqIbJyhKc0ABJO7jvMH6Vdgtk+3hTbjzafG0EbNLreQoE5soXoqDJnUgSRGhBSu77OlSdAJzErnT
XlQt3dozLySSNRKoj9O3qNWYRhSvGmC+ek7lUElRQlbakSoJ1BUYJmJgwDIJI7vBi1CShvpIby5WwUNjjOzmBM9dEXF2EtLC
FwZiAZn2CeGoo8vJJJLjaZ4SdP7q1ZwnD1nM/b2bjqtVr2KBmVxOsnfzJqc4k2SSBI5lYH9M1Sm+QDBZk8ToZqy5uVF3ZjMp
xZCUpCM2Y7xEczwoDBcHaVaPhT5auUhbVw224lcIMzMEweGo4bp6VUrum8yiTClLlSeBJAAnTUwI47q6Xl+nMnaggpkyQJgf
vofpXmywhy/slXm2SpttZSog5co2eYmVQNCQI0B11A1pRm3tLErCEA9PaAOgSiZ6KIGgEmB7x50Ld3eySohRKpCfdV9P5u51
I1a3l++2htvIp1Kygrn7XLqUpVG/Q8hwmadccxy3cUzbsXRZbJSgh23SCkaDTZ6acK5qukhRl8D2D/tFLv2ytR2rOp+7Xe2Z
8Hl2zSrnFL1D5QC4lO4KjUDoHjWSu/ST8P7ikMV8gdZ/1pm43p+FPeTUd351H4iewVqfAzzaPlk/5XqNxTyVdQ7qqFc9JV1j
srU4Z6/tPyhvvCtXbejNfAOyvKvKPXQlNYJ6jsPlm+6K/9k=""",
    "small": """
/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABIMDRANCxIQDhAUExIVGywdGxgYGzYnKSAsQDlEQz85Pj1HUGZXR0thTT0+WXla
YWltcnNyRVV9hnxvhWZwcm7/2wBDARMUFBsXGzQdHTRuST5Jbm5ubm5ubm5ubm5ubm5ubm5ubm5ubm5ubm5ubm5ubm5ubm5u
bm5ubm5ubm5ubm5ubm7/wAARCAADAAUDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAL/xAAaEAADAAMBAAAAAAAA
AAAAAAAAAQIDISKB/8QAFQEBAQAAAAAAAAAAAAAAAAAABAX/xAAWEQADAAAAAAAAAAAAAAAAAAAAAjH/2gAMAwEAAhEDEQA/
ALtKMjiVzK0vWACgkBrD/9k=""",
}
data = tf.placeholder(tf.string, [])
grid = list(itertools.product((0, 1, 3), (1, 2, 4, 8), (True, False), ("", "INTEGER_ACCURATE")))
images = [
    tf.image.decode_jpeg(data, channels=channels, ratio=ratio, fancy_upscaling=fancy, dct_method=method)
    for channels, ratio, fancy, method in grid
]
with tf.Session() as session:
    for name, text in files.items():
        for options, image in zip(grid, images):
            try:
                pixels = session.run(image, {data: base64.b64decode(text)})
                print(name, options, pixels.shape, zlib.crc32(np.ascontiguousarray(pixels)))
            except tf.errors.OpError as error:
                print(name, options, type(error).__name__, str(error).split("\n")[0])
# case: damaged JPEG files
import base64, zlib
whole = base64.b64decode("""
/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABIMDRANCxIQDhAUExIVGywdGxgYGzYnKSAsQDlEQz85Pj1HUGZXR0thTT0+WXla
YWltcnNyRVV9hnxvhWZwcm7/2wBDARMUFBsXGzQdHTRuST5Jbm5ubm5ubm5ubm5ubm5ubm5ubm5ubm5ubm5ubm5ubm5ubm5u
bm5ubm5ubm5ubm5ubm7/wAARCAATABcDASIAAhEBAxEB/8QAGQABAAMBAQAAAAAAAAAAAAAAAAEDBAIF/8QAJhAAAgEDAwME
AwAAAAAAAAAAAQIRAAMhBBIxQWFxEyJR0QUyQv/EABcBAAMBAAAAAAAAAAAAAAAAAAIDBAX/xAAjEQABAwMCBwAAAAAAAAAA
AAABAAIDBBESIXETMVFSkbGy/9oADAMBAAIRAxEAPwDRa06hWLAKgMzPtjM4qLurIMAW0htr7HVnWIPB7Bo5zEwcVw+stOqu
guIbiDaVA3BdzAjqBJA4zwekV5oB9WDaREJmFk4n57DzSWRvqHEv8J0FM2MZy8ldqNa73BeFy6D+oO4YieSAM+49JzSqwocH
comdwKg4nnHzgUq/gwsAa5Ty1xyswC2ys1xn8pYQxtuoC4jklQxPmSc/QqbhK32UHG5fP89aUo6UaDZU1pIi07h8rSqL6t1c
wG4nsPulKU1jWkXI6+1i3K//2Q==""")
scan = whole.index(b"\xff\xda")
damaged = [
    whole[:-2], whole[:-40] + b"\xff\xd9", whole + b"abc", whole[:scan], whole[:40],
    whole[:-60] + b"\xff\xd5" + whole[-60:],
]
data = tf.placeholder(tf.string, [])
with tf.Session() as session:
    for recover in (False, True):
        image = tf.image.decode_jpeg(data, try_recover_truncated=recover)
        for text in damaged:
            try:
                pixels = session.run(image, {data: text})
                print(pixels.shape, zlib.crc32(np.ascontiguousarray(pixels)))
            except tf.errors.OpError as error:
                print(type(error).__name__, str(error).split("\n")[0])
# case: grey of coloured PNG files
import zlib
codes = np.arange(64 * 64 * 3).reshape(64, 64, 3)
for dtype, factor in ((np.uint8, 97), (np.uint16, 40503)):
    pixels = (codes * factor % (np.iinfo(dtype).max + 1)).astype(dtype)
    file = tf.image.encode_png(pixels)
    with tf.Session() as session:
        for wanted in (tf.uint8, tf.uint16):
            grey = session.run(tf.image.decode_png(file, channels=1, dtype=wanted))
            print(grey.shape, zlib.crc32(np.ascontiguousarray(grey)))
