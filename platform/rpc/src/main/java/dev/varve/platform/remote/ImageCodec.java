package dev.varve.platform.remote;

import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.ImageRows;
import dev.varve.platform.shard.ImageSpan;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.SequenceImages;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Encodes the images of a batch. Of each chunk: i32 number of images, and for each i32 index of its
 * first token, i32 columns, i32 rows and i32 kind: bit 0 is the kind of positions, and the others
 * that of attention. Shards derive positions and masks from these.
 *
 * @param width elements of a row
 */
record ImageCodec(int width) {
    private static final int MOST_IMAGES = 1024;
    private static final int MOST_TOKENS = 1 << 20;

    static void put(FieldWriter large, SequenceImages images) {
        large.number(images.spans().size());
        for (ImageSpan span : images.spans()) {
            large.number(span.begin())
                    .number(span.columns())
                    .number(span.rows())
                    .number(kind(span));
        }
    }

    private static int kind(ImageSpan span) {
        return EnumCodec.IMAGE_POSITIONS.number(span.positions())
                | EnumCodec.IMAGE_ATTENTION.number(span.attention()) << 1;
    }

    static List<ImageSpan> get(FieldReader large) {
        int count = large.number("images", 0, MOST_IMAGES);
        List<ImageSpan> spans = new ArrayList<>();
        int least = 0;
        for (int i = 0; i < count; i++) {
            int begin = large.number("image", least, Integer.MAX_VALUE - MOST_TOKENS);
            int columns = large.number("columns of an image", 1, MOST_TOKENS);
            int rows = large.number("rows of an image", 1, MOST_TOKENS / columns);
            int kind = large.number("kind of an image", 0, Integer.MAX_VALUE);
            ImageSpan span =
                    new ImageSpan(
                            begin,
                            columns,
                            rows,
                            EnumCodec.IMAGE_POSITIONS.of(kind & 1),
                            EnumCodec.IMAGE_ATTENTION.of(kind >> 1));
            spans.add(span);
            least = span.end();
        }
        return spans;
    }

    /** Returns a chunk with images that have no rows yet. */
    static SequenceChunk place(SequenceChunk chunk, List<ImageSpan> spans) {
        return chunk.with(
                new SequenceImages(spans, spans.stream().map(each -> ImageRows.NONE).toList()));
    }

    /** Bytes of some rows. */
    long bytes(int rows) {
        return (long) rows * width * Float.BYTES;
    }

    /** Writes the rows of the image tokens in a chunk. */
    void putRows(SequenceChunk chunk, ByteBuffer payload) {
        int begin = chunk.firstPosition();
        chunk.images()
                .forEachRun(
                        begin,
                        begin + chunk.tokens().length,
                        (index, count, rows, first) -> {
                            int length = count * width;
                            payload.asFloatBuffer().put(rows, first * width, length);
                            payload.position(payload.position() + length * Float.BYTES);
                        });
    }

    /** Reads the rows of the image tokens in a batch; the payload has as many. */
    Batch withRows(Batch batch, ByteBuffer payload) {
        if (batch.imageTokens() == 0) {
            return batch;
        }
        List<SequenceChunk> chunks =
                batch.chunks().stream().map(chunk -> withRows(chunk, payload)).toList();
        return new Batch(batch.changes(), chunks, batch.phase(), batch.captures(), batch.queries());
    }

    private SequenceChunk withRows(SequenceChunk chunk, ByteBuffer payload) {
        int begin = chunk.firstPosition();
        int end = begin + chunk.tokens().length;
        List<ImageRows> rows = new ArrayList<>();
        for (ImageSpan span : chunk.images().spans()) {
            int first = Math.max(begin, span.begin());
            int count = Math.min(end, span.end()) - first;
            rows.add(
                    count <= 0
                            ? ImageRows.NONE
                            : new ImageRows(get(count, payload), first - span.begin()));
        }
        return chunk.with(new SequenceImages(chunk.images().spans(), rows));
    }

    private float[] get(int count, ByteBuffer payload) {
        float[] values = new float[count * width];
        payload.asFloatBuffer().get(values);
        payload.position(payload.position() + values.length * Float.BYTES);
        return values;
    }
}
