package dev.varve.platform.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;

/** Several models of a server share what one folder may hold. */
class StoreSettingsTest {
    private static final StoreSettings ALL = StoreSettings.in(Path.of("kept"));

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 7})
    void budgetsOfAllModelsAddUpToTheTotal(int models) {
        StoreSettings one = ALL.ofOne(Path.of("kept/one"), models);

        long part = one.limits().part(1000);

        assertTrue(part * models <= 1000 && (part + 1) * models > 1000, models + " x " + part);
        assertEquals(Path.of("kept/one"), one.folder());
    }

    @Test
    void folderOfOneModelHasTheWholeBudget() {
        assertEquals(1000, ALL.limits().part(1000));
        assertThrows(IllegalArgumentException.class, () -> ALL.ofOne(Path.of("kept"), 0));
    }
}
