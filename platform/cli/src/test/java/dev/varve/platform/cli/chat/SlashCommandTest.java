package dev.varve.platform.cli.chat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Optional;

class SlashCommandTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "none",
            value = {
                "/help                 | HELP       | ''",
                "/?                    | HELP       | ''",
                "/bye                  | EXIT       | ''",
                "/system  Be  brief.   | SYSTEM     | 'Be  brief.'",
                "/save my file.json    | SAVE       | 'my file.json'",
                "/set temperature 0.7  | SET        | 'temperature 0.7'",
                "/Help                 | none       | ''",
                "/helpme               | none       | ''",
                "/                     | none       | ''",
                "/etc/hosts is what?   | none       | 'is what?'",
            })
    void firstWordIsTheCommandAndTheRestItsArgument(
            String text, SlashCommand command, String argument) {
        SlashCommand.Line line = SlashCommand.parse(text);

        assertEquals(Optional.ofNullable(command), line.command());
        assertEquals(argument, line.argument());
    }

    @Test
    void argumentMayHaveSeveralLines() {
        assertEquals("one\ntwo", SlashCommand.parse("/system one\ntwo").argument());
    }

    @Test
    void helpHasEveryCommand() {
        String help = String.join("\n", SlashCommand.help());

        for (SlashCommand each : SlashCommand.values()) {
            assertTrue(help.contains(each.usage()), each.usage());
        }
    }
}
