"""Emoji of reactions: the types the platform knows, and a sign for some of them.

Source: the page im-v1/message-reaction/emojis-introduce.
"""

from typing import Final

_TYPES: Final = """
18X 2022 ANGRY APPLAUSE AWESOMEN Alarm BEAR BEER BETRAYED BLUBBER BLUSH BOMB BULL Basketball
BeamingFace BubbleTea CAKE CALF CANDIEDHAWS CHUCKLE CLAP CLEAVER COMFORT CRAZY CRY CUCUMBER
CheckMark ClownFace Coffee ColdSweat CrossMark DIZZY DONE DROOL DROWSY DULL Delighted
Drumstick EMBARRASSED ENOUGH ERROR EYESCLOSED EatingFood FACEPALM FINGERHEART FIRECRACKER
FIREWORKS FISTBUMP FORTUNE FROWN Fire FullMoonFace GIFT GLANCE GeneralBusinessTrip
GeneralDoNotDisturb GeneralInMeetingBusy GeneralMoonRest GeneralSun GeneralTravellingCar
GeneralWorkFromHome Get GoGoGo HAMMER HAUGHTY HEADSET HEART HEARTBROKEN HIGHFIVE HUG HUSKY
HappyDragon Hundred INNOCENTSMILE JIAYI JOYFUL JubilantRabbit KISS LAUGH LGTM LIPS LOL
LOOKDOWN LOVE LUCK Lemon Loudspeaker MONEY MUSCLE MeMeMe MinusOne MoonRabbit Mooncake Movie
Music NOSEPICK No OBSESSED OK OKR OnIt OneSecond PARTY PETRIFIED POOP PRAISE PROUD PUKE
Partying Pepper Pin Pumpkin RAINBOWPUKE REDPACKET ROSE RoarForYou SALUTE SCOWL SHAKE SHHH
SHOCKED SHOWOFF SHY SICK SILENT SKULL SLAP SLEEP SLIGHT SMART SMILE SMIRK SMOOCH SMUG SOB
SPEECHLESS SPITBLOOD STRIVE SWEAT SaluteFace Shrug Sigh Snowman Soccer StatusBus
StatusEnjoyLife StatusFlashOfInspiration StatusInFlight StatusReading Status_PrivateMessage
StickyRiceBalls TEARS TEASE TERROR THANKS THINKING THUMBSUP TOASTED TONGUE TRICK TV
ThanksFace ThumbsDown Trophy Typing UPPERLEFT VRHeadset WAIL WAVE WHAT WHIMPER WINK WITTY
WOW WRONGED XBLUSH XmasHat XmasTree YAWN YEAH Yes YouAreTheBest
"""
EMOJI_TYPES: Final = frozenset(_TYPES.split())
# Signs that every font has; a font with coloured emoji cannot be counted on.
_SIGNS: Final = {
    "DONE": "✓",
    "CheckMark": "✓",
    "CrossMark": "×",
    "HEART": "♥",
    "Hundred": "100",
}


def shown(emoji_type: str) -> str:
    """Return a sign for an emoji type, or its name."""
    return _SIGNS.get(emoji_type, emoji_type)
