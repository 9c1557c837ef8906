package dev.varve.testkit;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Writes GGUF files of version 2 or 3, little endian.
 *
 * <p>Layout: magic, version {@code u32}, tensor count {@code u64}, value count {@code u64}; the
 * values (key, type {@code u32}, payload); the tensor infos (name, dimension count {@code u32},
 * {@code ne} as {@code u64}, type {@code u32}, offset {@code u64} from the start of the data);
 * padding to the alignment; the data, each tensor padded to the alignment. Versions 2 and 3 differ
 * in the number only.
 *
 * <p>Contents are requested while the file is written, a few rows at a time, so a file may be
 * larger than the heap.
 */
public final class GgufWriter {
    private static final int DEFAULT_ALIGNMENT = 32;
    private static final int ROW_BUFFER_ELEMENTS = 1 << 20;

    private final int version;
    private final int alignment;
    private final Map<String, GgufValue> values = new LinkedHashMap<>();
    private final Map<String, Tensor> tensors = new LinkedHashMap<>();

    private record Tensor(String name, TensorType type, List<Long> shape, TensorData data) {
        long rowElements() {
            return shape.getFirst();
        }

        long rows() {
            return shape.stream().skip(1).reduce(1L, Math::multiplyExact);
        }

        long bytes() {
            return Math.multiplyExact(rows(), type.rowBytes(rowElements()));
        }
    }

    /** A writer of version 3 with the default alignment of {@value #DEFAULT_ALIGNMENT} bytes. */
    public GgufWriter() {
        this(3, DEFAULT_ALIGNMENT);
    }

    /**
     * @param alignment power of two, at least 8; another value than the default is stored as {@code
     *     general.alignment}
     */
    public GgufWriter(int version, int alignment) {
        if (version < 2 || version > 3 || alignment < 8 || Integer.bitCount(alignment) != 1) {
            throw new IllegalArgumentException("version " + version + ", alignment " + alignment);
        }
        this.version = version;
        this.alignment = alignment;
        if (alignment != DEFAULT_ALIGNMENT) {
            put("general.alignment", GgufValue.of(alignment));
        }
    }

    /** Sets a value; a later one of the same key replaces it in its place. */
    public GgufWriter put(String key, GgufValue value) {
        values.put(key, value);
        return this;
    }

    /**
     * Adds a tensor.
     *
     * @param shape in ggml order, 1 to 4 dimensions
     * @throws IllegalArgumentException if the name is taken, or the row is not a whole number of
     *     blocks
     */
    public GgufWriter tensor(String name, TensorType type, List<Long> shape, TensorData data) {
        if (shape.isEmpty() || shape.size() > 4 || shape.stream().anyMatch(extent -> extent < 1)) {
            throw new IllegalArgumentException(
                    "tensor " + name + ": expected 1 to 4 positive extents, got " + shape);
        }
        Tensor tensor = new Tensor(name, type, List.copyOf(shape), data);
        tensor.bytes();
        if (tensors.putIfAbsent(name, tensor) != null) {
            throw new IllegalArgumentException("tensor " + name + " is there already");
        }
        return this;
    }

    /**
     * Replaces the contents of existing tensors by others of the same type and shape.
     *
     * @param names which tensors, by their name
     * @throws IllegalArgumentException if there is no such tensor
     */
    public GgufWriter replace(Predicate<String> names, TensorData data) {
        List<Tensor> replaced =
                tensors.values().stream().filter(tensor -> names.test(tensor.name())).toList();
        if (replaced.isEmpty()) {
            throw new IllegalArgumentException("expected a tensor to replace, found none");
        }
        replaced.forEach(
                tensor ->
                        tensors.put(
                                tensor.name(),
                                new Tensor(tensor.name(), tensor.type(), tensor.shape(), data)));
        return this;
    }

    /**
     * Replaces the contents of all tensors of a type by one pattern, which is repeated and begins
     * at another block in each tensor. Files are then written as fast as the disk permits.
     *
     * @param pattern whole blocks of the type
     */
    public GgufWriter repeat(TensorType type, byte[] pattern) {
        if (pattern.length == 0 || pattern.length % type.blockBytes() != 0) {
            throw new IllegalArgumentException(
                    pattern.length + " bytes are no whole blocks of " + type);
        }
        tensors.replaceAll(
                (name, tensor) ->
                        tensor.type() == type
                                ? new Tensor(
                                        name,
                                        type,
                                        tensor.shape(),
                                        new TensorData.Raw(out -> repeat(pattern, tensor, out)))
                                : tensor);
        return this;
    }

    private static void repeat(byte[] pattern, Tensor tensor, OutputStream out) throws IOException {
        int blockBytes = tensor.type().blockBytes();
        int begin =
                Math.floorMod(tensor.name().hashCode(), pattern.length / blockBytes) * blockBytes;
        for (long left = tensor.bytes(); left > 0; begin = 0) {
            int count = (int) Math.min(left, pattern.length - begin);
            out.write(pattern, begin, count);
            left -= count;
        }
    }

    /** Leaves out the value or tensor of a name, for files that lack it. */
    public GgufWriter leaveOut(String name) {
        if (values.remove(name) == null && tensors.remove(name) == null) {
            throw new IllegalArgumentException("there is no " + name + " to leave out");
        }
        return this;
    }

    /** Gives a tensor one row more than its model requires. */
    public GgufWriter lengthen(String name) {
        Tensor tensor = tensors.get(name);
        List<Long> shape = new ArrayList<>(tensor.shape());
        shape.set(shape.size() - 1, shape.getLast() + 1);
        tensors.put(name, new Tensor(name, tensor.type(), shape, TensorData.constant(0)));
        return this;
    }

    /** Names of the tensors, in their order. */
    public List<String> tensorNames() {
        return List.copyOf(tensors.keySet());
    }

    /** Writes one file, replacing what is there. */
    public void write(Path file) throws IOException {
        write(file, values, List.copyOf(tensors.values()));
    }

    /**
     * Writes a file of the same length whose tensors are zeros, as a hole where the file system has
     * such: for readers of the header.
     */
    public void writeHeader(Path file) throws IOException {
        List<Tensor> all = List.copyOf(tensors.values());
        long length;
        try (LittleEndianOutput out = output(file)) {
            long data = writeHeader(out, values, all);
            length = out.position() + data;
        }
        try (RandomAccessFile hole = new RandomAccessFile(file.toFile(), "rw")) {
            hole.setLength(length);
        }
    }

    private static LittleEndianOutput output(Path file) throws IOException {
        return new LittleEndianOutput(
                new BufferedOutputStream(Files.newOutputStream(file), 1 << 20));
    }

    /**
     * Writes a split model, {@code <prefix>-00001-of-0000N.gguf} and so on; the first file carries
     * all the values.
     *
     * @return the files in order
     */
    public List<Path> writeSplit(Path folder, String prefix, int files) throws IOException {
        if (files < 1 || files > tensors.size()) {
            throw new IllegalArgumentException(tensors.size() + " tensors in " + files + " files");
        }
        List<Tensor> all = List.copyOf(tensors.values());
        List<Path> written = new ArrayList<>();
        for (int file = 0; file < files; file++) {
            Map<String, GgufValue> own = new LinkedHashMap<>();
            values.forEach(
                    (key, value) -> {
                        if (written.isEmpty() || key.equals("general.alignment")) {
                            own.put(key, value);
                        }
                    });
            own.put("split.no", new GgufValue.U16(file));
            own.put("split.count", new GgufValue.U16(files));
            own.put("split.tensors.count", new GgufValue.I32(all.size()));
            Path path =
                    folder.resolve(
                            String.format(
                                    Locale.ROOT, "%s-%05d-of-%05d.gguf", prefix, file + 1, files));
            write(
                    path,
                    own,
                    all.subList(all.size() * file / files, all.size() * (file + 1) / files));
            written.add(path);
        }
        return List.copyOf(written);
    }

    private void write(Path file, Map<String, GgufValue> fileValues, List<Tensor> fileTensors)
            throws IOException {
        try (LittleEndianOutput out = output(file)) {
            writeHeader(out, fileValues, fileTensors);
            for (Tensor tensor : fileTensors) {
                long begin = out.position();
                writeData(tensor, out);
                if (out.position() - begin != tensor.bytes()) {
                    throw new IllegalStateException(
                            "tensor "
                                    + tensor.name()
                                    + ": expected "
                                    + tensor.bytes()
                                    + " bytes, its source wrote "
                                    + (out.position() - begin));
                }
                out.pad(alignment);
            }
        }
    }

    /** Returns the length of the data that follows. */
    private long writeHeader(
            LittleEndianOutput out, Map<String, GgufValue> fileValues, List<Tensor> fileTensors)
            throws IOException {
        out.bytes(new byte[] {'G', 'G', 'U', 'F'});
        out.int32(version);
        out.int64(fileTensors.size());
        out.int64(fileValues.size());
        for (Map.Entry<String, GgufValue> entry : fileValues.entrySet()) {
            out.text(entry.getKey());
            out.int32(entry.getValue().typeId());
            out.value(entry.getValue());
        }
        long offset = 0;
        for (Tensor tensor : fileTensors) {
            out.text(tensor.name());
            out.int32(tensor.shape().size());
            for (long extent : tensor.shape()) {
                out.int64(extent);
            }
            out.int32(tensor.type().ggmlId());
            out.int64(offset);
            offset = Math.ceilDiv(offset + tensor.bytes(), (long) alignment) * alignment;
        }
        out.pad(alignment);
        return offset;
    }

    private static void writeData(Tensor tensor, LittleEndianOutput out) throws IOException {
        switch (tensor.data()) {
            case TensorData.Raw(var writer) -> writer.writeTo(out);
            case TensorData.Floats(var rows) -> writeRows(tensor, rows, out);
        }
    }

    private static void writeRows(Tensor tensor, TensorData.RowGenerator rows, OutputStream out)
            throws IOException {
        int rowElements = Math.toIntExact(tensor.rowElements());
        int chunkRows =
                Math.clamp(ROW_BUFFER_ELEMENTS / rowElements, 1, Math.toIntExact(tensor.rows()));
        float[] chunk = new float[Math.multiplyExact(chunkRows, rowElements)];
        float[] row = new float[rowElements];
        for (long first = 0; first < tensor.rows(); first += chunkRows) {
            int count = Math.toIntExact(Math.min(chunkRows, tensor.rows() - first));
            for (int i = 0; i < count; i++) {
                rows.fill(first + i, row);
                System.arraycopy(row, 0, chunk, i * rowElements, rowElements);
            }
            out.write(Quantizer.quantize(tensor.type(), chunk, count, rowElements));
        }
    }
}
