import dev.varve.embedded.Varve;

void main(String[] arguments) {
    try (Varve model = Varve.open(Path.of(arguments[0]))) {
        IO.println(model.chat("What is 12 + 30?").text());
    }
}
