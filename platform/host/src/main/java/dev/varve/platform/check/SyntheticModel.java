package dev.varve.platform.check;

import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.Quantizer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Writes a model file with the shape of a Qwen 3 model of 4B parameters, except for the number of
 * layers and the vocabulary, and with Q4_K weights that repeat one random block. Its text is
 * meaningless; its speed is that of a trained model of the shape.
 *
 * <p>The file is GGUF version 3, little endian: magic, version {@code u32}, number of tensors and
 * of values {@code u64}; values (key, type {@code u32}, value); tensors (name, number of dimensions
 * {@code u32}, extents {@code u64}, type {@code u32}, offset in the data {@code u64}); the data,
 * each tensor aligned to {@value #ALIGNMENT} bytes.
 *
 * @param layers number of layers
 */
record SyntheticModel(int layers) {
    /** Architecture of the file. */
    static final String ARCHITECTURE = "qwen3";

    private static final int ALIGNMENT = 32;
    private static final int WIDTH = 2560;
    private static final int FEED_FORWARD = 9728;
    private static final int HEADS = 32;
    private static final int KV_HEADS = 8;
    private static final int HEAD_LENGTH = 128;
    private static final int VOCABULARY = 32_768;
    private static final int CONTEXT = 4096;

    private static final int U32 = 4;
    private static final int F32 = 6;
    private static final int STRING = 8;
    private static final int ARRAY = 9;
    private static final int HEADER_BYTES = 1 << 20;
    private static final int CHUNK_BYTES = 8 << 20;

    /** Values of the random block that weights repeat. */
    private static final int RANDOM_VALUES = 1 << 20;

    private record Entry(String name, GgmlType type, long columns, long rows) {
        long bytes() {
            return type.rowBytes(columns) * rows;
        }
    }

    /** Bytes of a layer. */
    static long layerBytes() {
        return new SyntheticModel(1).bytes() - new SyntheticModel(0).bytes();
    }

    /** Bytes of all tensors. */
    long bytes() {
        return entries().stream().mapToLong(Entry::bytes).sum();
    }

    private List<Entry> entries() {
        List<Entry> entries = new ArrayList<>();
        entries.add(new Entry("token_embd.weight", GgmlType.Q4_K, WIDTH, VOCABULARY));
        entries.add(vector("output_norm.weight", WIDTH));
        for (int layer = 0; layer < layers; layer++) {
            String block = "blk." + layer + ".";
            entries.add(vector(block + "attn_norm.weight", WIDTH));
            entries.add(matrix(block + "attn_q", WIDTH, HEADS * HEAD_LENGTH));
            entries.add(matrix(block + "attn_k", WIDTH, KV_HEADS * HEAD_LENGTH));
            entries.add(matrix(block + "attn_v", WIDTH, KV_HEADS * HEAD_LENGTH));
            entries.add(vector(block + "attn_q_norm.weight", HEAD_LENGTH));
            entries.add(vector(block + "attn_k_norm.weight", HEAD_LENGTH));
            entries.add(matrix(block + "attn_output", HEADS * HEAD_LENGTH, WIDTH));
            entries.add(vector(block + "ffn_norm.weight", WIDTH));
            entries.add(matrix(block + "ffn_gate", WIDTH, FEED_FORWARD));
            entries.add(matrix(block + "ffn_up", WIDTH, FEED_FORWARD));
            entries.add(matrix(block + "ffn_down", FEED_FORWARD, WIDTH));
        }
        return entries;
    }

    private static Entry matrix(String name, long columns, long rows) {
        return new Entry(name + ".weight", GgmlType.Q4_K, columns, rows);
    }

    private static Entry vector(String name, long length) {
        return new Entry(name, GgmlType.F32, length, 1);
    }

    /** Writes the file. */
    void write(Path file) throws IOException {
        try (FileChannel channel =
                FileChannel.open(
                        file,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.TRUNCATE_EXISTING)) {
            write(channel, header());
            ByteBuffer random = random();
            for (Entry entry : entries()) {
                long padded = Math.ceilDiv(entry.bytes(), (long) ALIGNMENT) * ALIGNMENT;
                ByteBuffer source =
                        entry.type() == GgmlType.F32 ? ones((int) (padded / Float.BYTES)) : random;
                for (long left = padded; left > 0; ) {
                    ByteBuffer chunk = source.duplicate().clear();
                    chunk.limit((int) Math.min(left, source.capacity()));
                    left -= chunk.remaining();
                    write(channel, chunk);
                }
            }
        }
    }

    private static void write(FileChannel channel, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    private static ByteBuffer ones(int count) {
        ByteBuffer ones = ByteBuffer.allocate(count * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < count; i++) {
            ones.putFloat(1);
        }
        return ones.flip();
    }

    /** Whole blocks of weights with the variance of trained ones, about {@value #CHUNK_BYTES}. */
    private static ByteBuffer random() {
        Random random = new Random(1);
        float[] values = new float[RANDOM_VALUES];
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) random.nextGaussian() / 50;
        }
        byte[] block = Quantizer.quantize(GgmlType.Q4_K, values, WIDTH / 10);
        int copies = CHUNK_BYTES / block.length;
        ByteBuffer blocks = ByteBuffer.allocateDirect(copies * block.length);
        for (int i = 0; i < copies; i++) {
            blocks.put(block);
        }
        return blocks.flip();
    }

    private ByteBuffer header() {
        List<Entry> entries = entries();
        ByteBuffer out = ByteBuffer.allocate(HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        out.put("GGUF".getBytes(StandardCharsets.US_ASCII)).putInt(3);
        out.putLong(entries.size());
        int countAt = out.position();
        out.putLong(0);
        int values = 0;
        text(out, "general.architecture");
        text(out.putInt(STRING), ARCHITECTURE);
        values++;
        for (Object[] value :
                new Object[][] {
                    {"block_count", layers},
                    {"context_length", CONTEXT},
                    {"embedding_length", WIDTH},
                    {"feed_forward_length", FEED_FORWARD},
                    {"attention.head_count", HEADS},
                    {"attention.head_count_kv", KV_HEADS},
                    {"attention.key_length", HEAD_LENGTH},
                    {"attention.value_length", HEAD_LENGTH},
                    {"attention.layer_norm_rms_epsilon", 1e-6f},
                    {"rope.freq_base", 1e6f},
                }) {
            text(out, ARCHITECTURE + "." + value[0]);
            if (value[1] instanceof Integer number) {
                out.putInt(U32).putInt(number);
            } else {
                out.putInt(F32).putFloat((Float) value[1]);
            }
            values++;
        }
        text(out, "tokenizer.ggml.tokens");
        out.putInt(ARRAY).putInt(STRING).putLong(VOCABULARY);
        for (int id = 0; id < VOCABULARY; id++) {
            text(out, Integer.toString(id));
        }
        out.putLong(countAt, values + 1);
        long offset = 0;
        for (Entry entry : entries) {
            text(out, entry.name());
            boolean vector = entry.rows() == 1;
            out.putInt(vector ? 1 : 2).putLong(entry.columns());
            if (!vector) {
                out.putLong(entry.rows());
            }
            out.putInt(entry.type().id()).putLong(offset);
            offset += Math.ceilDiv(entry.bytes(), (long) ALIGNMENT) * ALIGNMENT;
        }
        while (out.position() % ALIGNMENT != 0) {
            out.put((byte) 0);
        }
        return out.flip();
    }

    private static void text(ByteBuffer out, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.putLong(bytes.length).put(bytes);
    }
}
