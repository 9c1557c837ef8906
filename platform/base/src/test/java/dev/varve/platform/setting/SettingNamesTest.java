package dev.varve.platform.setting;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.Locale;

class SettingNamesTest {
    private static final SettingNames NAMES = setting -> "<" + setting.id() + ">";

    @ParameterizedTest
    @EnumSource(Setting.class)
    void everySettingIsFoundWithinAText(Setting setting) {
        String text = "before " + setting + ": expected 1, found {2}";

        String shown = NAMES.render(text);

        assertEquals("before <" + setting.id() + ">: expected 1, found {2}", shown);
    }

    @Test
    void severalSettingsOfOneTextAreAllNamed() {
        String text = Setting.KV_TOKENS + ": at least 5 (" + Setting.CONTEXT_TOKENS + ")";

        assertEquals("<kvTokens>: at least 5 (<contextTokens>)", NAMES.render(text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "{}",
                "{setting:parallel",
                "{setting:Parallel}",
                "{setting: parallel }",
                "{setting:unknown}",
                "{model}"
            })
    void unknownSettingsAreUnchanged(String text) {
        assertEquals(text, NAMES.render(text));
    }

    @Test
    void nameMayContainRegexReplacementCharacters() {
        SettingNames odd = setting -> "$1\\" + setting.name().toLowerCase(Locale.ROOT);

        assertEquals("$1\\parallel: no", odd.render(Setting.PARALLEL + ": no"));
    }

    @Test
    void settingIdentifiersAreUnique() {
        assertEquals(
                Setting.values().length,
                Arrays.stream(Setting.values()).map(Setting::id).distinct().count());
    }
}
