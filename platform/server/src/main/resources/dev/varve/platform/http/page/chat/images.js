// Reads attached images: scaled down, and as JPEG or PNG, which every server decodes. They stay in this
// browser, and are sent with each request of their conversation.

/** Longest side in pixels: more than the models read. */
const SIDE = 2048;
/** Size of the largest file that is read, in bytes. */
const FILE_BYTES = 64 * 1024 * 1024;
/** Size of an image that is sent, in characters of its address. */
const SENT = 1.4 * 1024 * 1024;
/** Sizes and qualities that are tried until an image is small enough. */
const TRIES = [[1, .92], [1, .8], [.75, .8], [.5, .75], [.25, .7]];

/**
 * Reads an image.
 *
 * @param {File} file
 * @param {string} name name for the user
 * @returns {Promise<{name: string, text: string, image: string}>} the image as a data URL
 * @throws {Error} with a message for the user
 */
export async function readImage(file, name) {
    if (file.size > FILE_BYTES) {
        throw new Error(`“${name}” is larger than ${FILE_BYTES / 1024 / 1024} MiB.`);
    }
    let bitmap;
    try {
        // The browser applies the orientation of photos.
        bitmap = await createImageBitmap(file);
    } catch {
        throw new Error(`“${name}” is an image that this browser cannot read.`);
    }
    try {
        return {name, text: '', image: address(bitmap, /png|gif|bmp/.test(file.type), name)};
    } finally {
        bitmap.close();
    }
}

/** Lossless if that is small, such as for pictures of a screen. */
function address(bitmap, lossless, name) {
    const most = Math.min(1, SIDE / Math.max(bitmap.width, bitmap.height));
    if (lossless) {
        const url = drawn(bitmap, most).toDataURL('image/png');
        if (url.length <= SENT) {
            return url;
        }
    }
    for (const [scale, quality] of TRIES) {
        const url = drawn(bitmap, most * scale).toDataURL('image/jpeg', quality);
        if (url.length <= SENT) {
            return url;
        }
    }
    throw new Error(`“${name}” cannot be made small enough.`);
}

/** On white: models see no transparency. */
function drawn(bitmap, scale) {
    const canvas = document.createElement('canvas');
    canvas.width = Math.max(1, Math.round(bitmap.width * scale));
    canvas.height = Math.max(1, Math.round(bitmap.height * scale));
    const context = canvas.getContext('2d');
    context.fillStyle = '#fff';
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.imageSmoothingQuality = 'high';
    context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    return canvas;
}
