package shop;

class Bird {
    void sing() { }
}

class Wren extends Bird {
    void sing() { }
}

class Kettle {
    void sing() { }
}

class Kitchen {
    Object held;

    void hold(boolean isBird) {
        held = isBird ? new Wren() : new Kettle();
    }

    void play() {
        ((Bird) held).sing(); // -> Bird.sing, Wren.sing
    }
}
