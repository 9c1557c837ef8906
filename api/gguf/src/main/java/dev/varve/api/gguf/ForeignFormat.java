package dev.varve.api.gguf;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * Recognises, by their first bytes, files of other formats that were given as models by mistake.
 */
final class ForeignFormat {
    /** Number of bytes that are checked. */
    static final int HEAD_BYTES = 256;

    private static final int LONGEST_NAME = 128;
    private static final String CONVERT =
            "; convert the model with llama.cpp's convert_hf_to_gguf.py or download its GGUF file";

    private ForeignFormat() {}

    /**
     * Names the format of a file that does not begin with {@code GGUF}, and the remedy.
     *
     * @param head its first bytes, at most {@value #HEAD_BYTES}
     * @return such as " (a web page; ...)"; empty if unknown
     */
    static String describe(byte[] head) {
        String text = new String(head, StandardCharsets.ISO_8859_1);
        String start = text.stripLeading().toLowerCase(Locale.ROOT);
        if (head.length >= Long.BYTES && isZeros(head)) {
            return " (zeros: a download that reserved its space and did not finish; download the"
                    + " file again)";
        }
        if (text.startsWith("version https://git-lfs")) {
            return " (a Git LFS pointer in place of the file; fetch it with git lfs pull)";
        }
        if (start.startsWith("<!doctype") || start.startsWith("<html")) {
            return " (a web page, which a download stored in place of the file; download the file"
                    + " itself)";
        }
        if (text.startsWith("PK\3\4")) {
            return " (a ZIP archive or a PyTorch checkpoint" + CONVERT + ")";
        }
        if (text.startsWith("lmgg") || text.startsWith("fmgg") || text.startsWith("tjgg")) {
            return " (a model in the GGML format that GGUF replaced" + CONVERT + ")";
        }
        if (text.startsWith("algg")) {
            return " (a LoRA adapter in the GGML format that GGUF replaced; it cannot be served"
                    + " alone)";
        }
        if (isSafetensors(head, text)) {
            return " (a safetensors file" + CONVERT + ")";
        }
        return isImportanceMatrix(head, text)
                ? " (an importance matrix, imatrix, which guides the quantisation of a model and"
                        + " cannot be served; use the model's own file)"
                : "";
    }

    private static boolean isZeros(byte[] head) {
        for (byte each : head) {
            if (each != 0) {
                return false;
            }
        }
        return true;
    }

    /** u64 length of the header, then JSON. */
    private static boolean isSafetensors(byte[] head, String text) {
        return head.length > 9
                && text.startsWith("{\"", 8)
                && ByteBuffer.wrap(head).order(ByteOrder.LITTLE_ENDIAN).getLong() < 1 << 30;
    }

    /** i32 count of entries; each entry: i32 length of its name, the name, and numbers. */
    private static boolean isImportanceMatrix(byte[] head, String text) {
        if (head.length < 2 * Integer.BYTES) {
            return false;
        }
        ByteBuffer numbers = ByteBuffer.wrap(head).order(ByteOrder.LITTLE_ENDIAN);
        int entries = numbers.getInt();
        int length = numbers.getInt();
        return entries > 0
                && entries < 1 << 20
                && length > 0
                && length <= Math.min(LONGEST_NAME, head.length - 2 * Integer.BYTES)
                && text.substring(8, 8 + length).matches("[A-Za-z0-9_.]+\\.weight");
    }
}
