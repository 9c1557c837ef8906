package dev.varve.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelFamilyProvider;
import dev.varve.api.model.ModelOptions;
import dev.varve.api.model.PreTokenizer;
import dev.varve.api.model.TensorSelection;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;

/**
 * Contract of model families, tested with models that the extending class names. It cannot check
 * that the numbers are right: for that, compare logits with another implementation, also with every
 * split and token by token.
 */
@Timeout(120)
public abstract class ModelFamilyContract {
    private static final int THREADS = 4;
    private static final long SEED = 4711;

    @TempDir private Path folder;

    /** For extending classes. */
    protected ModelFamilyContract() {}

    /** Creates a new provider. */
    protected abstract ModelFamilyProvider provider();

    /**
     * Returns small model files of this family, of one part each and of at least two layers; more
     * variety tests more.
     *
     * @param folder an empty folder of the test
     * @throws IOException if they cannot be written
     */
    protected abstract List<Path> models(Path folder) throws IOException;

    private List<GgufFile> files() throws IOException {
        List<GgufFile> files = models(folder).stream().map(GgufFile::open).toList();
        assertFalse(files.isEmpty(), "no model to test with");
        return files;
    }

    private LayerSplitAdapter open(GgufFile file) {
        return provider().open(file, ModelOptions.defaults());
    }

    @Test
    void constructorIsCheap() {
        ProviderRules.requireCheap(this::provider);
    }

    @Test
    void architectureNamesAreStable() {
        ModelFamilyProvider provider = provider();

        Set<String> names = Set.copyOf(provider.architectures());

        assertFalse(names.isEmpty(), "no architecture");
        assertTrue(names.stream().noneMatch(String::isBlank), names.toString());
        assertEquals(names, provider.architectures());
        assertEquals(names, provider().architectures());
    }

    @Test
    void modelShapeFollowsTheFileAndIsStable() throws IOException {
        for (GgufFile file : files()) {
            LayerSplitAdapter adapter = open(file);
            String model = file.path().toString();

            assertTrue(provider().architectures().contains(file.architecture()), model);
            assertEquals(file.architecture(), adapter.shape().architecture(), model);
            assertEquals(
                    file.metadata().integer(file.architecture() + ".embedding_length"),
                    adapter.shape().embeddingLength(),
                    model);
            assertTrue(adapter.shape().layerCount() > 1, model + ": one layer cannot be cut");
            assertEquals(adapter.shape(), adapter.shape(), model);
            assertEquals(adapter.shape(), open(file).shape(), model);
            assertNotNull(adapter.chatDialect(), model);
        }
    }

    @Test
    void everyBoundaryHasAWidth() throws IOException {
        for (GgufFile file : files()) {
            LayerSplitAdapter adapter = open(file);
            for (int layer = 1; layer < adapter.shape().layerCount(); layer++) {
                int width = adapter.boundaryLength(layer);

                assertTrue(width > 0, file.path() + ": boundary " + layer + " of width " + width);
                assertEquals(width, adapter.boundaryLength(layer));
            }
        }
    }

    @Test
    void alignedRangesCoverTheSameLayersInOrder() throws IOException {
        for (GgufFile file : files()) {
            LayerSplitAdapter adapter = open(file);
            for (List<LayerRange> asked : splits(adapter)) {
                Optional<List<LayerRange>> aligned = align(adapter, asked);
                if (aligned.isEmpty()) {
                    continue;
                }
                String message = file.path() + ": " + asked + " became " + aligned;

                assertEquals(asked.size(), aligned.get().size(), message);
                int end = 0;
                for (LayerRange range : aligned.get()) {
                    assertEquals(end, range.begin(), message);
                    end = range.end();
                }
                assertEquals(adapter.shape().layerCount(), end, message);
                assertEquals(aligned, align(adapter, aligned.get()), message);
            }
        }
    }

    @Test
    void unsplitModelIsNotMoved() throws IOException {
        for (GgufFile file : files()) {
            LayerSplitAdapter adapter = open(file);
            List<LayerRange> whole = List.of(adapter.shape().allLayers());

            assertEquals(whole, adapter.align(whole), file.path().toString());
        }
    }

    @Test
    void rangesOfASplitTogetherSelectTheTensorsOfTheWholeModel() throws IOException {
        for (GgufFile file : files()) {
            LayerSplitAdapter adapter = open(file);
            Set<TensorSelection.Entry> whole = selected(adapter, adapter.shape().allLayers());
            for (TensorSelection.Entry entry : whole) {
                assertEquals(
                        Optional.of(entry.tensor()),
                        file.tensor(entry.tensor().name()),
                        "a tensor of another file");
            }
            for (List<LayerRange> asked : splits(adapter)) {
                Set<TensorSelection.Entry> parts = new HashSet<>();
                List<LayerRange> ranges = align(adapter, asked).orElse(List.of());
                ranges.forEach(range -> parts.addAll(selected(adapter, range)));

                // One range reads a tied table by row, and another one multiplies with it.
                if (!ranges.isEmpty()) {
                    assertEquals(names(whole), names(parts), file.path() + ": " + ranges);
                }
            }
        }
    }

    @Test
    void missingTensorIsNamedUnlessItIsOptional() throws IOException {
        for (GgufFile file : files()) {
            int refused = 0;
            RenamedEntry renamed = new RenamedEntry(file.path(), folder);
            for (TensorSelection.Entry entry :
                    selected(open(file), open(file).shape().allLayers())) {
                String name = entry.tensor().name();
                Optional<VarveException> error = refusal(renamed, name);
                if (error.isPresent()) {
                    refused++;
                    requireNamed(error.get(), file, stem(name));
                }
            }
            assertTrue(refused > 0, file.path() + ": nothing is missed");
        }
    }

    @Test
    void missingKeyIsNamedUnlessItIsOptional() throws IOException {
        for (GgufFile file : files()) {
            int refused = 0;
            RenamedEntry renamed = new RenamedEntry(file.path(), folder);
            for (String key : file.metadata().keys()) {
                if (!key.startsWith(file.architecture() + ".")) {
                    continue;
                }
                Optional<VarveException> error = refusal(renamed, key);
                if (error.isPresent()) {
                    refused++;
                    requireNamed(error.get(), file, "");
                }
            }
            assertTrue(refused > 0, file.path() + ": no size is needed");
        }
    }

    @Test
    void preTokenizersOfTheFamilySplitTextWithoutLoss() {
        List<String> texts = new ArrayList<>(List.of("", " ", "\r\n\n", "It's 12 o'clock, 日本 🙂!"));
        Random random = new Random(SEED);
        for (int length : new int[] {1, 17, 400}) {
            texts.add(
                    random.ints(0, 0x3000)
                            .limit(length)
                            .collect(
                                    StringBuilder::new,
                                    StringBuilder::appendCodePoint,
                                    StringBuilder::append)
                            .toString());
        }
        provider()
                .preTokenizers()
                .forEach(
                        (name, splitter) ->
                                texts.forEach(text -> requireCut(name, splitter, text)));
        assertEquals(provider().preTokenizers().keySet(), provider().preTokenizers().keySet());
    }

    /** Surrounds the text with other bytes, which the pre-tokenizer must ignore. */
    private static void requireCut(String name, PreTokenizer splitter, String text) {
        byte[] bytes = ("x" + text + "y").getBytes(StandardCharsets.UTF_8);
        int[] end = {1};

        splitter.split(
                bytes,
                1,
                bytes.length - 1,
                (from, to) -> {
                    assertEquals(end[0], from, name + ": where a word of '" + text + "' begins");
                    assertTrue(from < to, name + ": an empty word of '" + text + "'");
                    end[0] = to;
                });

        assertEquals(bytes.length - 1, end[0], name + ": the end of '" + text + "'");
    }

    @Test
    void modelMayBeUsedByManyThreads() throws Exception {
        for (GgufFile file : files()) {
            LayerSplitAdapter adapter = open(file);
            List<Object> expected = answers(adapter);
            CyclicBarrier together = new CyclicBarrier(THREADS);
            List<FutureTask<List<Object>>> workers = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                boolean fresh = i % 2 == 0;
                workers.add(
                        start(
                                () -> {
                                    together.await();
                                    return answers(fresh ? open(file) : adapter);
                                }));
            }

            for (FutureTask<List<Object>> worker : workers) {
                assertEquals(expected, worker.get(), file.path().toString());
            }
        }
    }

    /** Needs ggml's libraries: each range of each split, recorded for several sizes of batches. */
    @Test
    void everyRangeRecordsItsOperatorsOnceAndEndsOnce() throws IOException {
        GgmlFolder.loadBase();
        for (GgufFile file : files()) {
            LayerSplitAdapter adapter = open(file);
            for (List<LayerRange> asked : splits(adapter)) {
                for (LayerRange range : align(adapter, asked).orElse(List.of())) {
                    for (RecordedBatch batch : RecordedBatch.SIZES) {
                        RecordingGraph.check(adapter, range, batch, file.path().toString());
                    }
                }
            }
        }
    }

    private static List<Object> answers(LayerSplitAdapter adapter) {
        List<Object> answers = new ArrayList<>(List.of(adapter.shape()));
        for (List<LayerRange> asked : splits(adapter)) {
            align(adapter, asked)
                    .ifPresent(
                            ranges -> ranges.forEach(range -> answers.add(adapter.tensors(range))));
        }
        return answers;
    }

    private static Set<TensorSelection.Entry> selected(
            LayerSplitAdapter adapter, LayerRange range) {
        List<TensorSelection.Entry> entries = adapter.tensors(range).entries();
        Set<TensorSelection.Entry> distinct = new HashSet<>(entries);
        assertEquals(
                entries.size(), distinct.size(), range + " selects a tensor twice for one use");
        return distinct;
    }

    private static Set<String> names(Set<TensorSelection.Entry> entries) {
        Set<String> names = new HashSet<>();
        entries.forEach(entry -> names.add(entry.use() + " of " + entry.tensor().name()));
        return names;
    }

    /** Returns the whole model, every split into two, and one shard per layer. */
    private static List<List<LayerRange>> splits(LayerSplitAdapter adapter) {
        int layers = adapter.shape().layerCount();
        List<List<LayerRange>> splits = new ArrayList<>();
        splits.add(List.of(new LayerRange(0, layers)));
        List<LayerRange> single = new ArrayList<>();
        for (int layer = 0; layer < layers; layer++) {
            single.add(new LayerRange(layer, layer + 1));
            if (layer > 0) {
                splits.add(List.of(new LayerRange(0, layer), new LayerRange(layer, layers)));
            }
        }
        splits.add(single);
        return splits;
    }

    /** Empty if the family reports that it cannot be split into that many ranges. */
    private static Optional<List<LayerRange>> align(
            LayerSplitAdapter adapter, List<LayerRange> asked) {
        try {
            return Optional.of(adapter.align(asked));
        } catch (VarveException e) {
            assertEquals(VarveException.Kind.INVALID_REQUEST, e.kind(), e.getMessage());
            ProviderRules.requireLine(e);
            assertTrue(asked.size() > 1, "a model that is not cut was refused: " + e.getMessage());
            return Optional.empty();
        }
    }

    /**
     * Opens the model without a tensor or key; exceptions other than {@link VarveException} fail.
     */
    private Optional<VarveException> refusal(RenamedEntry renamed, String name) throws IOException {
        return renamed.without(
                name,
                path -> {
                    GgufFile damaged = GgufFile.open(path);
                    try {
                        assertNotNull(open(damaged), "a model without " + name);
                        return Optional.empty();
                    } catch (VarveException e) {
                        return Optional.of(e);
                    } catch (RuntimeException e) {
                        return fail("a model without " + name + " ends in " + e, e);
                    }
                });
    }

    private static void requireNamed(VarveException error, GgufFile file, String name) {
        ProviderRules.requireLine(error);
        assertTrue(
                error.getMessage().contains(RenamedEntry.NAME) && error.getMessage().contains(name),
                file.path() + ": expected the file and " + name + ", found " + error.getMessage());
    }

    /** {@code blk.3.} of a layer's tensor; the message may name another tensor of that layer. */
    private static String stem(String name) {
        int dot = name.indexOf('.', "blk.".length());
        return name.startsWith("blk.") && dot > 0 ? name.substring(0, dot + 1) : "";
    }

    private static <T> FutureTask<T> start(Callable<T> work) {
        FutureTask<T> task = new FutureTask<>(work);
        Thread.ofPlatform().daemon().name("family-contract").start(task);
        return task;
    }
}
