package dev.varve.platform.shard.local;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.api.backend.InputUpload;
import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.Tensor;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

class InputArenaTest {
    private static RowDevices devices;

    @BeforeAll
    static void open() {
        devices = new RowDevices();
    }

    @AfterAll
    static void close() {
        devices.close();
    }

    /** A shard whose layers are all recurrent has no inputs in decode but the boundary. */
    @ParameterizedTest
    @ValueSource(strings = {"cpu", "vulkan"})
    void graphWithoutInputsIsPlaced(String device) {
        try (InputArena arena = new InputArena(devices.device(device).ggmlDevice())) {
            arena.place(List.of());

            InputUpload upload = arena.upload(() -> {});
            upload.source().copyTo(upload.target());
            assertEquals(upload.source().bytes(), upload.target().bytes());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"cpu", "vulkan"})
    void bothHostBlocksReachTheInputs(String device) {
        try (InputArena arena = new InputArena(devices.device(device).ggmlDevice());
                GgmlContext context = GgmlContext.open(2, 0)) {
            Tensor ids = context.newTensor(GgmlType.I32, 3).named("ids");
            Tensor mask = context.newTensor(GgmlType.F32, 5).named("mask");
            arena.place(List.of(ids, mask));
            for (int step = 1; step <= 3; step++) {
                arena.host(ids).write(new int[] {step, 2 * step, 3 * step}, 0, 3, 0);
                arena.host(mask).write(new float[] {step, 0, -step, 7, 8}, 0, 5, 0);

                InputUpload upload = arena.upload(() -> {});
                upload.source().copyTo(upload.target());

                int[] readIds = new int[3];
                ids.read(readIds, 0, 3, 0);
                assertArrayEquals(new int[] {step, 2 * step, 3 * step}, readIds);
                float[] readMask = new float[5];
                mask.read(readMask, 0, 5, 0);
                assertArrayEquals(new float[] {step, 0, -step, 7, 8}, readMask);
            }
        }
    }
}
