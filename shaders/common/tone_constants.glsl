// Numbers of the tone maps, read by color.glsl and by engine_core/render/tone.py.

const float FYN_SHOULDER = 0.75;

const float ACES_A = 2.51;
const float ACES_B = 0.03;
const float ACES_C = 2.43;
const float ACES_D = 0.59;
const float ACES_E = 0.14;

const float HABLE_A = 0.15;
const float HABLE_B = 0.50;
const float HABLE_C = 0.10;
const float HABLE_D = 0.20;
const float HABLE_E = 0.02;
const float HABLE_F = 0.30;
const float HABLE_EXPOSURE = 2.0;
const float HABLE_WHITE = 11.2;
